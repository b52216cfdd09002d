//! libFuzzer's entry to `posthouse_fuzz::mime`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::mime::run(data));
