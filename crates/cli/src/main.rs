//! The `waymesh` program.

mod heap;

use std::process::ExitCode;

use crate::heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap::new();

fn main() -> ExitCode {
    waymesh_cli::run(std::env::args_os().collect(), || HEAP.peak_bytes())
}
