//! libFuzzer's entry to `posthouse_fuzz::reports`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::reports::run(data));
