//! Marks on the ground, and warnings of those that cover none.

use waymesh_core::stage::StageError;
use waymesh_core::{Observer, Warning};
use waymesh_voxel::{Mark, MarkShape, VoxelError};

/// Applies marks in order: `apply` returns the number of spans that it gave the area of a mark.
/// Returns for each mark whether it covers any ground.
pub(crate) fn apply_marks<'a>(
    marks: impl IntoIterator<Item = &'a Mark>,
    mut apply: impl FnMut(&Mark) -> Result<u64, VoxelError>,
) -> Result<Vec<bool>, StageError> {
    let covers = marks.into_iter().map(|mark| apply(mark).map(|spans| spans > 0));
    covers.collect::<Result<_, _>>().map_err(StageError::at("marks"))
}

/// Returns for each of `count` marks whether it covers ground of any part.
pub(crate) fn covered_in_all<'a>(count: usize, parts: impl IntoIterator<Item = &'a Vec<bool>>) -> Vec<bool> {
    let mut all = vec![false; count];
    for part in parts {
        all.iter_mut().zip(part).for_each(|(all, part)| *all |= part);
    }
    all
}

/// Warns of a mark that covers no ground: by a mistake, most likely.
pub(crate) fn warn_of_mark(name: String, mark: Option<&Mark>, observer: &mut dyn Observer) {
    let what = if mark.is_some_and(|mark| is_swapped(&mark.shape)) {
        "marks nothing: its lower end is above its upper end"
    } else {
        "touches no ground"
    };
    observer.warn(Warning::OddElement { element: name, what: what.to_owned() });
}

/// Warns of the marks of the settings that cover no ground.
pub(crate) fn warn_of_marks(marks: &[Mark], covers: &[bool], observer: &mut dyn Observer) {
    for (number, mark) in
        marks.iter().enumerate().filter(|(number, _)| !covers.get(*number).unwrap_or(&false))
    {
        warn_of_mark(format!("mark {number}"), Some(mark), observer);
    }
}

/// Returns `true` if the corners or ends of a shape are swapped, so that nothing lies between them.
pub(crate) fn is_swapped(shape: &MarkShape) -> bool {
    match shape {
        MarkShape::Box { bounds } => bounds.min.cmpgt(bounds.max).any(),
        MarkShape::Prism { heights: [low, high], .. } => low > high,
        MarkShape::Cylinder { height, .. } => *height < 0.0,
        _ => false,
    }
}
