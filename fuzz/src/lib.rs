//! Functions of the fuzzers, one per target of `fuzz_targets`. An input that panics, does not
//! end or takes too much memory is a finding; so is an answer that an oracle contradicts.

mod chains;
mod files;
mod made;
mod queries;
mod worlds;

pub use chains::*;
pub use files::*;
pub use made::*;
pub use queries::*;
pub use worlds::*;
