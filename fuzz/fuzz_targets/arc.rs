//! libFuzzer's entry to `posthouse_fuzz::arc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::arc::run(data));
