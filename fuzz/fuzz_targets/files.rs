//! libFuzzer's entry to `posthouse_fuzz::files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::files::run(data));
