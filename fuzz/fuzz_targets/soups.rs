#![no_main]

libfuzzer_sys::fuzz_target!(|input: waymesh_fuzz::Soup| waymesh_fuzz::soups(&input));
