//! libFuzzer's entry to `posthouse_fuzz::dmarc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::dmarc::run(data));
