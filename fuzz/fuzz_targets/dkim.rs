//! libFuzzer's entry to `posthouse_fuzz::dkim`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::dkim::run(data));
