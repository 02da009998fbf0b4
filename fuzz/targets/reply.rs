//! See `ptah_fuzz::reply`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::reply(data));
