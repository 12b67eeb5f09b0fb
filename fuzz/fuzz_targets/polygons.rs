#![no_main]

libfuzzer_sys::fuzz_target!(|input: waymesh_fuzz::Drawing| waymesh_fuzz::polygons(&input));
