//! Loops on all threads of the rayon pool, or on one thread without the feature `rayon`.

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Numbers that one thread looks at in a row, where a look is short.
const PORTION: usize = 4096;

/// Returns what `make` gives for each number below `count`, in order. Each thread has a scratch.
pub(crate) fn map<S: Default, R: Send>(
    count: usize,
    make: impl Fn(&mut S, usize) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "rayon")]
    return (0..count).into_par_iter().map_init(S::default, make).collect();
    #[cfg(not(feature = "rayon"))]
    {
        let mut scratch = S::default();
        (0..count).map(|number| make(&mut scratch, number)).collect()
    }
}

/// Returns what `look` finds for the first number below `count` for which it finds something.
pub(crate) fn find_first<R: Send>(count: usize, look: impl Fn(usize) -> Option<R> + Sync) -> Option<R> {
    let portion = |first: usize| (first * PORTION..count.min((first + 1) * PORTION)).find_map(&look);
    let portions = 0..count.div_ceil(PORTION);
    #[cfg(feature = "rayon")]
    return portions.into_par_iter().find_map_first(portion);
    #[cfg(not(feature = "rayon"))]
    return { portions }.find_map(portion);
}

/// Returns `true` if `test` holds for every number below `count`.
pub(crate) fn all(count: usize, test: impl Fn(usize) -> bool + Sync) -> bool {
    find_first(count, |number| (!test(number)).then_some(())).is_none()
}

/// Does two things, at the same time where there are threads for it and `is_long` says that it is
/// worth the while.
pub(crate) fn join<A: Send, B: Send>(
    is_long: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "rayon")]
    if is_long {
        let token = waymesh_core::CancelToken::current();
        return rayon::join(
            || {
                let _entered = token.enter();
                one()
            },
            || {
                let _entered = token.enter();
                other()
            },
        );
    }
    let _ = is_long;
    (one(), other())
}
