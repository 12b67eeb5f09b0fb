#![no_main]

libfuzzer_sys::fuzz_target!(|input: waymesh_fuzz::Questions| waymesh_fuzz::queries(&input));
