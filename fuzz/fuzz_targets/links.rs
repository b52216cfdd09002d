//! libFuzzer's entry to `posthouse_fuzz::links`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::links::run(data));
