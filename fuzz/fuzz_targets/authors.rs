//! libFuzzer's entry to `posthouse_fuzz::authors`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::authors::run(data));
