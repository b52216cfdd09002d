//! libFuzzer's entry to `posthouse_fuzz::charsets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::charsets::run(data));
