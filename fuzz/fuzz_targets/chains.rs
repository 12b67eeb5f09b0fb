#![no_main]

libfuzzer_sys::fuzz_target!(|input: waymesh_fuzz::Places| waymesh_fuzz::chains(&input));
