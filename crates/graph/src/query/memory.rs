//! The owner of the memory of a query.

use crate::scratch::QueryScratch;

/// The memory of a query.
#[derive(Debug)]
pub(crate) enum Memory<'a> {
    /// None before the first query.
    Own(Option<Box<QueryScratch>>),
    Lent(&'a mut QueryScratch),
}

impl Memory<'_> {
    pub(crate) fn get(&mut self) -> &mut QueryScratch {
        match self {
            Self::Own(scratch) => scratch.get_or_insert_default(),
            Self::Lent(scratch) => scratch,
        }
    }
}
