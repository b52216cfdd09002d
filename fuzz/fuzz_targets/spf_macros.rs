//! libFuzzer's entry to `posthouse_fuzz::spf_macros`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::spf_macros::run(data));
