//! See `ptah_fuzz::answer`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::answer(data));
