//! Damaged files.

/// Calls a test with every bit of a file flipped in turn, and with the number of that bit.
pub fn each_flipped_bit(mut bytes: Vec<u8>, mut test: impl FnMut(&[u8], usize)) {
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        test(&bytes, bit);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}
