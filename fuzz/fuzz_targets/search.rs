//! libFuzzer's entry to `posthouse_fuzz::search`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::search::run(data));
