//! libFuzzer's entry to `posthouse_fuzz::wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::wire::run(data));
