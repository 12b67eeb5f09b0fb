//! Variable-length integers (LEB128).
//!
//! Each byte has seven bits, lowest first; the high bit is set on all bytes but the last. Signed
//! numbers are zigzag-encoded: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ...

/// Appends `value` in one to ten bytes.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads the number at `at`, and moves `at` behind it. Returns `None` if the bytes end early, with
/// `at` at their end, or if the number has more than 64 bits.
#[inline]
#[must_use]
pub fn take(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let &byte = bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            // The tenth byte may only have one bit.
            return (shift < 63 || byte < 2).then_some(value);
        }
    }
    None
}

/// Zigzag-encodes a signed number: numbers near zero become small unsigned numbers.
#[inline]
#[must_use]
pub const fn fold(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

/// Returns the number that [`fold`] encoded.
#[inline]
#[must_use]
pub const fn unfold(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let signed = [0, -1, 1, 63, -64, 64, i64::from(i32::MIN), i64::MAX, i64::MIN];
        let short = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let all: Vec<u64> = signed.into_iter().map(fold).chain(short).collect();
        let mut bytes = Vec::new();
        all.iter().for_each(|&value| put(&mut bytes, value));
        let mut at = 0;
        for value in all {
            assert_eq!(take(&bytes, &mut at), Some(value));
        }
        assert_eq!((at, take(&bytes, &mut at)), (bytes.len(), None));
        assert!(signed.into_iter().all(|value| unfold(fold(value)) == value));
        assert_eq!(take(&[0xff; 11], &mut 0), None);
        let tenth = |byte: u8| take(&[[0xff; 9].as_slice(), &[byte]].concat(), &mut 0);
        assert_eq!((tenth(1), tenth(2)), (Some(u64::MAX), None));
    }
}
