//! Compact encodings of heightfields and fields, for memory or files.
//!
//! Values that a span shares with an adjacent span are stored in a few bits. Other values follow in
//! a second stream, as variable-length integers. Packing and unpacking predict the spans in the
//! same order by the same rules, so the predictions are not stored.

mod bytes;
mod field;
mod heightfield;

pub use field::PackedField;
pub use heightfield::PackedHeightfield;
