//! libFuzzer's entry to `posthouse_fuzz::addresses`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::addresses::run(data));
