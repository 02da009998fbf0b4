//! See `ptah_fuzz::handshake`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ptah_fuzz::handshake(data));
