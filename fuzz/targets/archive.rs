//! See `ptah_fuzz::archive`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::archive(data));
