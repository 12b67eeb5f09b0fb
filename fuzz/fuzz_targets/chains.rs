#![no_main]

libfuzzer_sys::fuzz_target!(|seed: u64| waymesh_fuzz::chains(seed));
