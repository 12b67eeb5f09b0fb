//! A set of small numbers with one bit per number.

use std::ops::Range;

const WORD: usize = u64::BITS as usize;

/// A set of numbers below a limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Creates the empty set for numbers below `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(WORD)] }
    }

    pub(crate) fn insert(&mut self, number: usize) {
        self.words[number / WORD] |= 1 << (number % WORD);
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.words[number / WORD] >> (number % WORD) & 1 == 1
    }

    /// Returns the least number of the set in `range`.
    pub(crate) fn first(&self, range: Range<usize>) -> Option<usize> {
        self.in_words(range.start / WORD..range.end.div_ceil(WORD), &range, |bits| {
            bits.trailing_zeros() as usize
        })
    }

    /// Returns the greatest number of the set in `range`.
    pub(crate) fn last(&self, range: Range<usize>) -> Option<usize> {
        let words = (range.start / WORD..range.end.div_ceil(WORD)).rev();
        self.in_words(words, &range, |bits| bits.ilog2() as usize)
    }

    fn in_words(
        &self,
        mut words: impl Iterator<Item = usize>,
        range: &Range<usize>,
        pick: impl Fn(u64) -> usize,
    ) -> Option<usize> {
        words.find_map(|word| {
            let (low, high) =
                (range.start.saturating_sub(word * WORD), range.end - (word * WORD).min(range.end));
            let mut bits = self.words[word] & (u64::MAX << low.min(WORD - 1));
            if high < WORD {
                bits &= (1 << high) - 1;
            }
            (bits != 0).then(|| word * WORD + pick(bits))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_searched_from_both_ends() {
        let mut set = BitSet::new(300);
        let members = [0, 5, 63, 64, 130, 255, 299];
        for member in members {
            set.insert(member);
        }
        for start in 0..300 {
            assert_eq!(set.contains(start), members.contains(&start));
            for end in start..=300 {
                let inside = || members.into_iter().filter(|member| (start..end).contains(member));
                assert_eq!(set.first(start..end), inside().min(), "{start}..{end}");
                assert_eq!(set.last(start..end), inside().max(), "{start}..{end}");
            }
        }
    }
}
