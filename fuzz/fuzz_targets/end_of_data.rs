//! libFuzzer's entry to `posthouse_fuzz::end_of_data`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::end_of_data::run(data));
