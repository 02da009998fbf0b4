//! See `ptah_fuzz::reason`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::reason(data));
