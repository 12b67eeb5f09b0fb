//! Tests that need the inside of the crate.

mod double;
pub(crate) mod robust;
