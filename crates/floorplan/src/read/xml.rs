//! Bounds on XML that its parser does not keep.

use super::Reader;
use crate::PlanError;

/// Most attributes of an element: the parser compares each with all others.
const MOST_ATTRIBUTES: usize = 10_000;

/// Refuses elements with more attributes than any drawing or map has.
pub(super) fn few_attributes(reader: &Reader<'_>, text: &str) -> Result<(), PlanError> {
    let attributes = |tag: &str| {
        tag.split('=').skip(1).filter(|value| value.trim_start().starts_with(['"', '\''])).count()
    };
    match text.split('<').map(attributes).max() {
        Some(count) if count > MOST_ATTRIBUTES => {
            Err(reader.fault(format!("an element with {count} attributes, the limit is {MOST_ATTRIBUTES}")))
        }
        _ => Ok(()),
    }
}
