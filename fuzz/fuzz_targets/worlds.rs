#![no_main]

libfuzzer_sys::fuzz_target!(|input: waymesh_fuzz::Story| waymesh_fuzz::worlds(&input));
