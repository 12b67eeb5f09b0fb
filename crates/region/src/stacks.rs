//! Stacks: lists of spans, pieces or regions that lie above each other and must not be in one
//! region.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};
use waymesh_core::{Buckets, Direction, NO_SPAN, SpanField};

/// One or two members of a stack that may be in one region: linked spans of adjacent columns, or
/// their pieces, the lower number first. A single member is stored twice.
pub(crate) type Slot = [u32; 2];

/// Lists of slots. Members in different slots of a stack **conflict**: they must not be in one
/// region.
///
/// A column of `n` spans is a stack of `n` slots, where a list of pairs would have `n² / 2`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stacks {
    slots: Vec<Slot>,
    /// End of each stack in `slots`.
    ends: Vec<usize>,
}

impl Stacks {
    pub(crate) fn push(&mut self, slots: impl Iterator<Item = Slot>) {
        self.slots.extend(slots);
        self.ends.push(self.slots.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, stack: usize) -> &[Slot] {
        let start = stack.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.slots[start..self.ends[stack]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Slot]> + Clone {
        (0..self.len()).map(|stack| self.get(stack))
    }

    /// Returns all pairs that conflict, the lower member first, sorted and without duplicates.
    #[cfg(test)]
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut pairs = std::collections::BTreeSet::new();
        for stack in self.iter() {
            for (index, one) in stack.iter().enumerate() {
                let others = stack[index + 1..].as_flattened().iter();
                others.for_each(|&two| pairs.extend(one.map(|one| (one.min(two), one.max(two)))));
            }
        }
        pairs.into_iter()
    }

    /// Returns the memory in use, in bytes.
    pub(crate) fn memory(&self) -> usize {
        size_of_val(self.slots.as_slice()) + size_of_val(self.ends.as_slice())
    }

    /// Appends the stacks of `others`, whose members are renamed.
    pub(crate) fn append(&mut self, others: &Self, name: impl Fn(u32) -> u32) {
        let start = self.slots.len();
        let renamed = others.slots.iter().map(|slot| slot.map(&name));
        self.slots.extend(renamed.map(|[one, two]| [one.min(two), one.max(two)]));
        self.ends.extend(others.ends.iter().map(|end| start + end));
    }

    /// Returns the stacks in order, without duplicates.
    pub(crate) fn sorted(&self) -> Self {
        let mut order: Vec<&[Slot]> = self.iter().collect();
        order.sort_unstable();
        order.dedup();
        let mut result = Self::default();
        order.into_iter().for_each(|stack| result.push(stack.iter().copied()));
        result
    }

    /// Splits the stacks by the groups of their members, and replaces the members by their names.
    /// Members without a group are left out.
    pub(crate) fn regrouped(
        &self,
        mut group: impl FnMut(u32) -> Option<u32>,
        name: impl Fn(u32) -> u32,
    ) -> Self {
        let (mut result, mut slots) = (StackList::default(), Slots::default());
        for stack in self.iter() {
            slots.list.clear();
            for &[one, two] in stack {
                let groups = [group(one), group(two)];
                let [a, b] = [name(one), name(two)];
                match groups {
                    [Some(own), Some(other)] if own == other => slots.push(own, a, b),
                    _ => {
                        for (own, name) in groups.into_iter().zip([a, b]) {
                            own.into_iter().for_each(|own| slots.push(own, name, name));
                        }
                    }
                }
            }
            result.add(&mut slots);
        }
        result.stacks
    }

    /// Calls `found` with the sets that contain a conflict. `set_of` returns the set of a member;
    /// members and sets are below `count`.
    pub(crate) fn torn(&self, count: usize, mut set_of: impl FnMut(u32) -> u32, mut found: impl FnMut(u32)) {
        // The last stack in which each set was met, and the slot there.
        let mut met = vec![(usize::MAX, 0); count];
        for (index, stack) in self.iter().enumerate() {
            for (slot, &members) in stack.iter().enumerate() {
                for set in members.map(&mut set_of) {
                    let before = std::mem::replace(&mut met[set as usize], (index, slot));
                    if before.0 == index && before.1 != slot {
                        found(set);
                    }
                }
            }
        }
    }
}

/// Stacks that are collected one by one, without duplicates.
#[derive(Default)]
pub(crate) struct StackList {
    pub(crate) stacks: Stacks,
    /// Index of a stack by its hash. Only used for lookups and never iterated.
    seen: FxHashMap<u64, usize>,
}

impl StackList {
    /// Adds a stack for each group of several slots.
    pub(crate) fn add(&mut self, slots: &mut Slots) {
        slots.list.sort_unstable();
        slots.list.dedup();
        for group in slots.list.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let stack = || group.iter().map(|&(_, slot)| slot);
            let mut hasher = FxHasher::default();
            stack().for_each(|slot| slot.hash(&mut hasher));
            let known = *self.seen.entry(hasher.finish()).or_insert(self.stacks.len());
            if known == self.stacks.len() || !stack().eq(self.stacks.get(known).iter().copied()) {
                self.stacks.push(stack());
            }
        }
    }
}

/// The slots of one or two columns, each with its group. Members of different groups do not
/// conflict.
#[derive(Default)]
pub(crate) struct Slots {
    list: Vec<(u32, Slot)>,
    /// `true` for spans of the second column that have a slot.
    is_linked: Vec<bool>,
}

impl Slots {
    fn push(&mut self, group: u32, one: u32, two: u32) {
        self.list.push((group, [one.min(two), one.max(two)]));
    }

    /// Replaces the slots by the slot of two spans without a link.
    pub(crate) fn set_pair(&mut self, one: u32, two: u32) {
        self.list.clear();
        self.list.extend([(0, [one; 2]), (0, [two; 2])]);
    }

    /// Replaces the slots by those of two adjacent columns with the spans `own` and `there`, which
    /// may be empty.
    ///
    /// `link` returns the index in `there` of the span to which a span of `own` is linked, and `of`
    /// the group and the name of a span, `None` for spans that are ignored. Calls `touch` with the
    /// names of linked spans, also of different groups.
    #[inline]
    pub(crate) fn collect<S: Copy>(
        &mut self,
        own: impl Iterator<Item = S>,
        there: impl ExactSizeIterator<Item = S> + Clone,
        link: impl Fn(S) -> Option<usize>,
        of: impl Fn(S) -> Option<(u32, u32)>,
        mut touch: impl FnMut(u32, u32),
    ) {
        self.list.clear();
        self.is_linked.clear();
        self.is_linked.resize(there.len(), false);
        for span in own {
            let Some((group, name)) = of(span) else { continue };
            let mut partner = name;
            if let Some(place) = link(span)
                && let Some((theirs, other)) = there.clone().nth(place).and_then(&of)
            {
                touch(name, other);
                if theirs == group {
                    partner = other;
                    self.is_linked[place] = true;
                }
            }
            self.push(group, name, partner);
        }
        for (place, span) in there.enumerate() {
            if !self.is_linked[place]
                && let Some((group, name)) = of(span)
            {
                self.push(group, name, name);
            }
        }
    }

    /// Replaces the slots by those of column `cell` with the spans `own`, and of the adjacent
    /// column in this direction with the spans `there`. See [`Slots::collect`].
    #[inline]
    pub(crate) fn collect_columns(
        &mut self,
        field: &impl SpanField,
        [own, there]: [&Range<u32>; 2],
        (cell, direction): (u32, Direction),
        of: impl Fn(u32) -> Option<(u32, u32)>,
        touch: impl FnMut(u32, u32),
    ) {
        let link = |span: u32| {
            let link = if there.is_empty() { NO_SPAN } else { field.link(cell, span, direction) };
            (link != NO_SPAN).then(|| (link - there.start) as usize)
        };
        self.collect(own.clone(), there.clone(), link, of, touch);
    }

    /// Returns `true` if a group has several slots.
    pub(crate) fn is_torn(&mut self) -> bool {
        self.list.sort_unstable();
        self.list.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }
}

/// The slots of all stacks that growing sheets occupy. It answers whether two sheets conflict in
/// the time of the smaller one.
pub(crate) struct Occupied {
    /// The stacks of each member, with its slot there.
    places: Buckets<(u32, u32)>,
    /// For a sheet and a stack: the slot and the number of members there. Only used for lookups and
    /// never iterated.
    taken: FxHashMap<(u32, u32), (u32, u32)>,
}

impl Occupied {
    /// Creates the slots of stacks with members below `count`. All are free.
    pub(crate) fn new(count: usize, stacks: &Stacks) -> Self {
        let members = |[one, two]: Slot| std::iter::once(one).chain((one != two).then_some(two));
        let places = (0_u32..).zip(stacks.iter()).flat_map(|(index, stack)| {
            (0_u32..).zip(stack).flat_map(move |(slot, &pair)| {
                members(pair).map(move |member| (member as usize, (index, slot)))
            })
        });
        Self { places: Buckets::new(count, places), taken: FxHashMap::default() }
    }

    /// Creates the slots with those taken that the members of `sheets` occupy, whose sheets do not
    /// conflict.
    pub(crate) fn by(sheets: impl ExactSizeIterator<Item = u32>, stacks: &Stacks) -> Self {
        let mut occupied = Self::new(sheets.len(), stacks);
        (0..).zip(sheets).for_each(|(member, sheet)| occupied.put(member, sheet));
        occupied
    }

    /// Returns `true` if a member lies in a stack.
    pub(crate) fn is_stacked(&self, member: u32) -> bool {
        !self.places.of(member as usize).is_empty()
    }

    /// Returns `true` if a member conflicts with no member of a sheet.
    pub(crate) fn fits(&self, member: u32, sheet: u32) -> bool {
        let own = self.places.of(member as usize);
        own.iter().all(|&(stack, slot)| self.taken.get(&(sheet, stack)).is_none_or(|taken| taken.0 == slot))
    }

    /// Returns `true` if members of one sheet conflict with no member of another.
    pub(crate) fn all_fit(&self, members: &[u32], sheet: u32) -> bool {
        members.iter().all(|&member| self.fits(member, sheet))
    }

    /// Adds a member to a sheet with which it does not conflict.
    pub(crate) fn put(&mut self, member: u32, sheet: u32) {
        for &(stack, slot) in self.places.of(member as usize) {
            self.taken.entry((sheet, stack)).or_insert((slot, 0)).1 += 1;
        }
    }

    /// Removes a member from its sheet.
    pub(crate) fn take(&mut self, member: u32, sheet: u32) {
        for &(stack, _) in self.places.of(member as usize) {
            let key = (sheet, stack);
            if let Some((_, count)) = self.taken.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.taken.remove(&key);
                }
            }
        }
    }

    /// Moves members of one sheet to another.
    pub(crate) fn move_all(&mut self, members: &[u32], from: u32, into: u32) {
        members.iter().for_each(|&member| self.take(member, from));
        members.iter().for_each(|&member| self.put(member, into));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use waymesh_core::{Random, to_u32};

    use super::*;

    /// Random stacks, and their pairs found one by one.
    fn random(random: &mut Random, count: u32) -> (Stacks, BTreeSet<(u32, u32)>) {
        let mut stacks = Stacks::default();
        for _ in 0..random.below(8) {
            let mut members = random.permutation(count as usize).into_iter().map(to_u32);
            let slots = 2 + random.below(3);
            stacks.push((0..slots).filter_map(|_| {
                let one = members.next()?;
                let two = if random.chance(0.4) { members.next()? } else { one };
                Some([one.min(two), one.max(two)])
            }));
        }
        let mut pairs = BTreeSet::new();
        for one in 0..count {
            for two in one + 1..count {
                let slot = |stack: &[Slot], member| stack.iter().position(|slot| slot.contains(&member));
                let conflict = |stack| slot(stack, one).zip(slot(stack, two)).is_some_and(|(a, b)| a != b);
                if stacks.iter().any(conflict) {
                    pairs.insert((one, two));
                }
            }
        }
        (stacks, pairs)
    }

    #[test]
    fn sheets_fit_if_no_pair_of_their_members_conflicts() {
        let mut source = Random::new(8);
        let mut refused = 0;
        for _ in 0..300 {
            let count = 9 + source.below(12);
            let (stacks, pairs) = random(&mut source, count);
            assert!(stacks.pairs().eq(pairs.iter().copied()));
            assert!(stacks.sorted().pairs().eq(pairs.iter().copied()));
            let mut occupied = Occupied::by(0..count, &stacks);
            let mut sheets: Vec<Vec<u32>> = (0..count).map(|member| vec![member]).collect();
            for _ in 0..60 {
                let [one, two] = [0; 2].map(|_| source.below(count));
                let [a, b] = [one, two].map(|sheet| &sheets[sheet as usize]);
                let meets = |&a: &u32| b.iter().any(|&b| pairs.contains(&(a.min(b), a.max(b))));
                let fits = one != two && !a.iter().any(meets);
                refused += u32::from(one != two && !fits);
                assert_eq!(one != two && occupied.all_fit(a, two), fits);
                if fits {
                    occupied.move_all(a, one, two);
                    let moved = std::mem::take(&mut sheets[one as usize]);
                    sheets[two as usize].extend(moved);
                } else if one != two && !a.is_empty() {
                    // A member that leaves takes its slots along.
                    let last = a.len() - 1;
                    let alone = sheets[one as usize].split_off(last);
                    if let Some(free) = (0..count).find(|&sheet| sheets[sheet as usize].is_empty()) {
                        occupied.move_all(&alone, one, free);
                        sheets[free as usize] = alone;
                    } else {
                        sheets[one as usize].extend(alone);
                    }
                }
            }
            let torn = |sheets: &[Vec<u32>]| {
                let mut found = BTreeSet::new();
                let of = |member| {
                    to_u32(sheets.iter().position(|sheet| sheet.contains(&member)).expect("a sheet"))
                };
                stacks.torn(count as usize, of, |sheet| {
                    found.insert(sheet);
                });
                found
            };
            assert!(torn(&sheets).is_empty());
            let all = vec![(0..count).collect::<Vec<u32>>()];
            assert_eq!(torn(&all).is_empty(), pairs.is_empty());
        }
        assert!(refused > 100, "{refused}");
    }
}
