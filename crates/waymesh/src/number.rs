//! Numbers of elements.

/// A count or index in 32 bits; meshes with more are refused elsewhere.
pub(crate) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
