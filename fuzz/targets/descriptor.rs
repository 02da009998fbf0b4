//! See `ptah_fuzz::descriptor`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::descriptor(data));
