//! libFuzzer's entry to `posthouse_fuzz::spf_records`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::spf_records::run(data));
