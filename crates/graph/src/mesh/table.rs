//! Tables that own their elements, or lie in bytes that came from outside.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use yoke::Yoke;

/// A table that is shared by its clones. Where it lies is found once, when it is made: reading it
/// costs what reading a `Vec` costs.
pub(crate) struct Table<T: 'static>(Yoke<&'static [T], Arc<dyn Cart<T>>>);

/// The memory that owns a table.
trait Cart<T>: Send + Sync {
    fn elements(&self) -> &[T];

    /// Takes the elements out; they are copied where they lie in bytes.
    fn take(&mut self) -> Vec<T>;
}

impl<T: Clone + Send + Sync> Cart<T> for Vec<T> {
    fn elements(&self) -> &[T] {
        self
    }

    fn take(&mut self) -> Vec<T> {
        std::mem::take(self)
    }
}

/// Bytes from outside.
struct Bytes<B>(B);

impl<B: AsRef<[u8]> + Send + Sync> Cart<u8> for Bytes<B> {
    fn elements(&self) -> &[u8] {
        self.0.as_ref()
    }

    fn take(&mut self) -> Vec<u8> {
        self.elements().to_vec()
    }
}

/// A part of such bytes, aligned.
struct Part {
    whole: Table<u8>,
    range: Range<usize>,
}

impl<T: Pod + Send + Sync> Cart<T> for Part {
    fn elements(&self) -> &[T] {
        let bytes = self.whole.get(self.range.clone()).unwrap_or_default();
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }

    fn take(&mut self) -> Vec<T> {
        self.elements().to_vec()
    }
}

impl Table<u8> {
    /// Makes a table of shared bytes; `as_ref` is called once.
    pub(crate) fn of_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::of(Arc::new(Bytes(bytes)))
    }

    /// Returns the elements that these of the bytes are, in little-endian words: in place where
    /// they are aligned and the machine has its words so as well, else copied. Bytes left over
    /// at the end are no element, bytes past the end are none.
    pub(crate) fn cut<T: Pod + Send + Sync>(&self, range: Range<usize>) -> Table<T> {
        let bytes = self.get(range.clone()).unwrap_or_default();
        let range = range.start..range.start + bytes.len() / size_of::<T>() * size_of::<T>();
        let bytes = self.get(range.clone()).unwrap_or_default();
        if cfg!(target_endian = "big") && size_of::<T>() > 1 {
            return bytemuck::pod_collect_to_vec::<u8, T>(&swapped(bytes)).into();
        }
        if bytemuck::try_cast_slice::<u8, T>(bytes).is_err() {
            return bytemuck::pod_collect_to_vec::<u8, T>(bytes).into();
        }
        Table::of(Arc::new(Part { whole: self.clone(), range }))
    }
}

impl<T> Table<T> {
    fn of(cart: Arc<dyn Cart<T>>) -> Self {
        Self(Yoke::attach_to_cart(cart, |cart| cart.elements()))
    }
}

/// The elements, to be changed: copied only where a clone shares them, or where they lie in bytes.
impl<T: Clone> From<Table<T>> for Vec<T> {
    fn from(table: Table<T>) -> Self {
        let mut cart = table.0.into_backing_cart();
        match Arc::get_mut(&mut cart) {
            Some(own) => own.take(),
            None => cart.elements().to_vec(),
        }
    }
}

/// Returns where the entries of each number below `count` begin in a table that is sorted by
/// number, and where those of the last one end.
pub(crate) fn firsts(count: usize, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut first = vec![0; count + 1];
    numbers.for_each(|number| first[number as usize + 1] += 1);
    for number in 0..count {
        first[number + 1] += first[number];
    }
    first
}

/// Returns one of many lists that lie one after the other: see [`firsts`]. Empty for a list that is
/// not there.
#[inline]
pub(crate) fn list_of<'a, T>(first: &[u32], items: &'a [T], list: u32) -> &'a [T] {
    match first.get(list as usize..list as usize + 2) {
        Some(ends) => &items[ends[0] as usize..ends[1] as usize],
        None => &[],
    }
}

/// The bytes of a table in little-endian words.
pub(crate) fn write_words<T: Pod>(out: &mut Vec<u8>, elements: &[T]) {
    let bytes = bytemuck::cast_slice::<T, u8>(elements);
    if cfg!(target_endian = "big") && size_of::<T>() > 1 {
        out.extend(swapped(bytes));
    } else {
        out.extend_from_slice(bytes);
    }
}

/// Words of four bytes, the other way round. All tables but those of bytes consist of such.
fn swapped(bytes: &[u8]) -> Vec<u8> {
    bytes.as_chunks::<4>().0.iter().flat_map(|&[a, b, c, d]| [d, c, b, a]).collect()
}

impl<T: Clone + Send + Sync> From<Vec<T>> for Table<T> {
    fn from(elements: Vec<T>) -> Self {
        Self::of(Arc::new(elements))
    }
}

impl<T: Clone + Send + Sync> FromIterator<T> for Table<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        elements.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T: Clone + Send + Sync> Default for Table<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0.get()
    }
}

impl<'a, T> IntoIterator for &'a Table<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: PartialEq> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Table<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_lies_in_its_bytes_or_is_a_copy_and_reads_the_same() {
        let words: Vec<u32> = (0..64).map(|word| word * 0x0102_0305).collect();
        let mut bytes = Vec::new();
        write_words(&mut bytes, &words);
        assert_eq!(bytes[4..8], words[1].to_le_bytes());
        // The allocator decides the alignment: one of these starts is aligned.
        for start in 0..8 {
            let mut padded = vec![0; start];
            padded.extend(&bytes);
            padded.push(7);
            let whole = Table::of_bytes(padded);
            let place = whole.as_ptr().addr() + start;
            let table: Table<u32> = whole.cut(start..whole.len());
            assert_eq!(*table, *words);
            let is_in_place = table.as_ptr().addr() == place;
            assert_eq!(is_in_place, cfg!(target_endian = "little") && place.is_multiple_of(4));
            let points: Table<[u32; 2]> = whole.cut(start + 8..start + 8 + 17);
            assert_eq!(*points, [[words[2], words[3]], [words[4], words[5]]]);
            let copy = table.clone();
            drop((whole, table));
            assert_eq!(*copy, *words);
        }
        let nothing: Table<u32> = Table::of_bytes([1_u8; 9]).cut(4..20);
        assert!(nothing.is_empty() && Table::<u32>::default() == nothing);
    }

    #[test]
    fn elements_are_moved_out_unless_they_are_shared() {
        let table: Table<u32> = vec![1, 2, 3].into();
        let place = table.as_ptr();
        let shared = table.clone();
        let copy = Vec::from(table);
        assert!(copy == [1, 2, 3] && copy.as_ptr() != place);
        let own = Vec::from(shared);
        assert!(own == [1, 2, 3] && own.as_ptr() == place);
        let in_bytes: Table<u32> = Table::of_bytes([7_u8; 16]).cut(0..16);
        assert_eq!(Vec::from(in_bytes), [0x0707_0707; 4]);
    }

    #[test]
    fn words_are_swapped_there_and_back() {
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(swapped(&bytes)[..5], [3, 2, 1, 0, 7]);
        assert_eq!(swapped(&swapped(&bytes)), bytes);
    }
}
