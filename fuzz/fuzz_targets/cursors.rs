//! libFuzzer's entry to `posthouse_fuzz::cursors`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posthouse_fuzz::cursors::run(data));
