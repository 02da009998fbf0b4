//! See `ptah_fuzz::stream`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::stream(data));
