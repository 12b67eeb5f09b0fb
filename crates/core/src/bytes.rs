//! Numbers as bytes: fixed sizes, little-endian, and variable-length integers (LEB128).
//!
//! A variable-length integer has seven bits per byte, lowest first; the high bit is set on all
//! bytes but the last. Signed ones are zigzag-encoded: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ...

/// A number of a fixed size, or an array of such.
pub trait Fixed: Copy + Default {
    /// Appends the bytes of the number.
    fn write(self, out: &mut Vec<u8>);
    /// Reads the number.
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

macro_rules! fixed {
    ($($number:ty)*) => {$(
        impl Fixed for $number {
            #[inline]
            fn write(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn read(from: &mut Reader<'_>) -> Option<Self> {
                let bytes = from.take(size_of::<Self>())?;
                bytes.first_chunk().map(|bytes| Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

fixed!(u8 u16 u32 i32 u64 f32 f64);

impl<T: Fixed, const COUNT: usize> Fixed for [T; COUNT]
where
    Self: Default,
{
    fn write(self, out: &mut Vec<u8>) {
        self.into_iter().for_each(|number| number.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let mut numbers = Self::default();
        for number in &mut numbers {
            *number = from.get()?;
        }
        Some(numbers)
    }
}

/// Bytes that grow by numbers.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends a number of a fixed size, or an array.
    #[inline]
    pub fn put(&mut self, number: impl Fixed) {
        number.write(&mut self.0);
    }

    /// Appends numbers of a fixed size.
    pub fn put_all(&mut self, numbers: impl IntoIterator<Item = impl Fixed>) {
        numbers.into_iter().for_each(|number| self.put(number));
    }

    /// Appends a variable-length integer, one to ten bytes.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
    pub fn number(&mut self, number: impl Into<u64>) {
        let mut number = number.into();
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Appends a signed variable-length integer.
    #[inline]
    pub fn signed(&mut self, number: impl Into<i64>) {
        self.number(zigzag(number.into()));
    }

    /// Appends a length as a variable-length integer.
    pub fn count(&mut self, count: usize) {
        self.number(count as u64);
    }
}

/// Reads the output of a [`Writer`]. No method panics; `None` means damaged bytes, whose
/// position is [`Reader::at`].
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    why: &'static str,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, why: "they break off" }
    }

    /// Returns the position of the next byte.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns the reason of the last `None`.
    #[must_use]
    pub const fn why(&self) -> &'static str {
        self.why
    }

    /// Returns the number of bytes left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns `None` and keeps the reason unless `holds`.
    #[inline]
    pub fn ensure(&mut self, holds: bool, why: &'static str) -> Option<()> {
        if !holds {
            self.why = why;
        }
        holds.then_some(())
    }

    /// Returns `None` and keeps the reason if bytes are left.
    pub fn end(&mut self) -> Option<()> {
        self.ensure(self.left() == 0, "bytes after the end")
    }

    /// Reads bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, _) = self.bytes.get(self.at..)?.split_at_checked(count)?;
        self.at += count;
        Some(taken)
    }

    /// Reads all bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        self.take(self.left()).unwrap_or_default()
    }

    /// Reads a number of a fixed size, or an array.
    #[inline]
    pub fn get<T: Fixed>(&mut self) -> Option<T> {
        T::read(self)
    }

    /// Reads like [`Reader::get`]. Numbers beyond the end are 0, for callers that have checked lengths.
    #[inline]
    pub fn or_zero<T: Fixed>(&mut self) -> T {
        self.get().unwrap_or_default()
    }

    /// Reads a variable-length integer. Returns `None` if the bytes end early, with the position at
    /// their end, or if the number does not fit `T` or has more than 64 bits.
    #[inline]
    pub fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let &byte = self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                // The tenth byte may only have one bit.
                let number = (shift < 63 || byte < 2).then_some(number);
                let number = number.and_then(|number| T::try_from(number).ok());
                self.ensure(number.is_some(), "a number is too large")?;
                return number;
            }
        }
        self.ensure(false, "a number is too long")?;
        None
    }

    /// Reads a variable-length integer of at most `limit`.
    pub fn number_to(&mut self, limit: u32) -> Option<u32> {
        let number = self.number()?;
        self.ensure(number <= limit, "a number is too large")?;
        Some(number)
    }

    /// Reads a signed variable-length integer.
    #[inline]
    pub fn signed(&mut self) -> Option<i64> {
        self.number().map(unzigzag)
    }

    /// Returns the number that differs from `from` by `difference`.
    #[inline]
    pub fn plus<T: TryFrom<i64>>(&mut self, from: impl Into<i64>, difference: i64) -> Option<T> {
        let number = from.into().checked_add(difference).and_then(|number| T::try_from(number).ok());
        self.ensure(number.is_some(), "a number is out of range")?;
        number
    }

    /// Reads `count` elements of at least `least_bytes` bytes each. Reserves memory only if the bytes
    /// can hold them.
    pub fn list<T>(
        &mut self,
        count: u64,
        least_bytes: usize,
        read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut read = read;
        let count = usize::try_from(count).ok().filter(|&count| count <= self.left() / least_bytes);
        self.ensure(count.is_some(), "there are fewer elements than stated")?;
        let mut list = Vec::with_capacity(count?);
        for _ in 0..count? {
            list.push(read(self)?);
        }
        Some(list)
    }

    /// Reads a list whose count stands before it as a variable-length integer, see
    /// [`Reader::list`].
    pub fn counted<T>(
        &mut self,
        least_bytes: usize,
        read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.number()?;
        self.list(count, least_bytes, read)
    }
}

/// Zigzag-encodes a signed number: numbers near zero become small unsigned numbers.
#[inline]
#[must_use]
pub const fn zigzag(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

/// Returns the number that [`zigzag`] encoded.
#[inline]
#[must_use]
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let signed = [0, -1, 1, 63, -64, 64, i64::from(i32::MIN), i64::MAX, i64::MIN];
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut out = Writer::default();
        signed.into_iter().for_each(|value| out.signed(value));
        numbers.into_iter().for_each(|value| out.number(value));
        out.put([-0.5_f32, f32::MAX]);
        out.put_all([u16::MAX, 7]);
        let mut from = Reader::new(&out.0);
        assert_eq!(signed.map(|_| from.signed().unwrap()), signed);
        assert_eq!(numbers.map(|_| from.number::<u64>().unwrap()), numbers);
        assert_eq!((from.get(), from.get()), (Some([-0.5_f32, f32::MAX]), Some([u16::MAX, 7])));
        assert_eq!((from.at(), from.end(), from.number::<u64>()), (out.0.len(), Some(()), None));
        assert!(signed.into_iter().all(|value| unzigzag(zigzag(value)) == value));
    }

    #[test]
    fn damage_is_reported_with_position_and_reason() {
        let long = |bytes: &[u8]| Reader::new(bytes).number::<u64>();
        assert_eq!(long(&[0xff; 11]), None);
        let tenth = |byte: u8| long(&[[0xff; 9].as_slice(), &[byte]].concat());
        assert_eq!((tenth(1), tenth(2)), (Some(u64::MAX), None));
        let mut from = Reader::new(&[200, 2, 3, 9, 9]);
        assert_eq!((from.number::<u8>(), from.at(), from.why()), (None, 2, "a number is too large"));
        assert_eq!(from.counted(1, Reader::get::<u8>), None, "3 elements in 2 bytes");
        assert_eq!((from.at(), from.why()), (3, "there are fewer elements than stated"));
        assert_eq!((from.end(), from.why()), (None, "bytes after the end"));
        assert_eq!(from.list(2, 1, Reader::get::<u8>), Some(vec![9, 9]));
        assert_eq!((from.plus::<u8>(250, 5), from.plus::<u8>(250, 6)), (Some(255), None));
        assert_eq!((from.get::<u8>(), from.take(1), from.take(0)), (None, None, Some([].as_slice())));
    }
}
