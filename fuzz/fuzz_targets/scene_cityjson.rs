#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| waymesh_fuzz::scene_cityjson(bytes));
