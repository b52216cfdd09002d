//! libFuzzer's entry to `posthouse_fuzz::smtp_commands`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::smtp_commands::run(data));
