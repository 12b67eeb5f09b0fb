//! Compact encodings of heightfields and fields, to keep in memory or on disk.
//!
//! The values that a span shares with a span beside it are stored in a few bits. Other values
//! follow in a second stream, as numbers of variable length. Packing and unpacking predict the
//! spans in the same order by the same rules, so the predictions are not stored.

mod bytes;
mod field;
mod heightfield;

pub use field::PackedField;
pub use heightfield::PackedHeightfield;
