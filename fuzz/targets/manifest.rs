//! See `ptah_fuzz::manifest`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::manifest(data));
