//! Heightfields and fields as few bytes, to be kept in memory or on disk.
//!
//! What most spans share with a span beside them is said in a few bits; what they do not share
//! follows in a second stream, as numbers of as many bytes as they need. Both directions run the
//! same prediction over the spans in order, so that nothing has to be stored for it.

mod bytes;
mod field;
mod heightfield;

pub use field::PackedField;
pub use heightfield::PackedHeightfield;
