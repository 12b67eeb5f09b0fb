//! Monotone partition: row sweeps.

use waymesh_core::stage::{Partition, StageError};
use waymesh_core::{
    BadField, Direction, NO_REGION, Observer, RegionId, RegionMap, WalkableField, checkpoint, to_u32,
};

use crate::error::RegionError;
use crate::merge::merge_small_regions;
use crate::rivals::crowded;

/// Configuration of [`partition_monotone`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MonotoneConfig {
    /// Regions of at most this many square metres, and regions that touch no wall or drop, are
    /// merged into a neighbour if the result does not overlap itself. 0 leaves every region
    /// monotone. Default 36.0 (Recast's 20 x 20 cells of 0.3 m); finite, zero or more.
    pub merge_region: f32,
}

impl Default for MonotoneConfig {
    fn default() -> Self {
        Self { merge_region: 36.0 }
    }
}

waymesh_core::setters! {
    impl MonotoneConfig {
        with_merge_region(merge_region: f32);
    }
}

impl MonotoneConfig {
    /// Checks all fields.
    ///
    /// # Errors
    /// [`RegionError::BadField`] with the first field that is out of range.
    pub fn validate(&self) -> Result<(), RegionError> {
        Ok(BadField::unless_area("merge_region", self.merge_region)?)
    }
}

/// A run of spans in one row that are linked along x and have one area.
#[derive(Clone, Copy)]
struct Sweep {
    /// First and last column.
    first: u32,
    last: u32,
    /// The only region that it touches in the previous row; [`NO_REGION`] if it touches none or
    /// more than one.
    region: u32,
    /// Number of its spans that touch that region.
    contacts: u32,
    /// `true` if it touches several regions.
    is_torn: bool,
}

/// The data of a region that the next row needs.
#[derive(Clone, Copy)]
struct Open {
    /// First and last x of its last run.
    first: u32,
    last: u32,
    /// Number of spans of the current row that touch it.
    contacts: u32,
}

/// Cuts the walkable surface into regions with at most one run in each row, then merges small ones.
///
/// Works row by row. A run of linked spans of one area continues a region of the previous row if it
/// is the only run that touches this region and it touches no other. Otherwise it starts a new
/// region. A region has one run per row, so it cannot overlap itself in plan.
///
/// # Guarantees
/// - The contract of [`Partition`].
/// - With `merge_region` 0, every region is monotone along z: each row holds one run of it.
///
/// # Cost
/// Linear, one pass over the spans.
///
/// # Errors
/// [`RegionError::BadField`] for an invalid configuration.
///
/// # References
/// The sweep is that of Recast (Mononen), `rcBuildRegionsMonotone`.
pub fn partition_monotone(
    field: &WalkableField,
    config: &MonotoneConfig,
    observer: &mut dyn Observer,
) -> Result<RegionMap, RegionError> {
    config.validate()?;
    let (labels, count) = sweep_rows(field);
    let crowded = if config.merge_region > 0.0 { crowded(field) } else { Vec::new() };
    Ok(merge_small_regions(field, &crowded, labels, count, config.merge_region, observer))
}

/// [`partition_monotone`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Monotone {
    /// Configuration of the stage.
    pub config: MonotoneConfig,
}

impl Partition for Monotone {
    fn partition(&self, field: &WalkableField, observer: &mut dyn Observer) -> Result<RegionMap, StageError> {
        partition_monotone(field, &self.config, observer).map_err(StageError::at("partition"))
    }
}

/// Returns the labels and their number, before merging.
fn sweep_rows(field: &WalkableField) -> (Vec<u32>, u32) {
    let width = field.frame.width;
    let mut labels = vec![NO_REGION; field.len()];
    let mut regions: Vec<Open> = Vec::new();
    let mut sweeps: Vec<Sweep> = Vec::new();
    let mut touched: Vec<u32> = Vec::new();
    for row in field.columns.windows(width as usize + 1).step_by(width.max(1) as usize) {
        checkpoint();
        sweeps.clear();
        for (x, column) in (0_u32..).zip(row.windows(2)) {
            for span in column[0] as usize..column[1] as usize {
                let area = field.area[span];
                if !area.is_walkable() {
                    continue;
                }
                let links = field.links[span];
                let like = |direction: Direction| {
                    let link = links[direction.index()] as usize;
                    (field.area.get(link) == Some(&area)).then_some(link)
                };
                // During a row, its labels are numbers of sweeps.
                let number = if let Some(west) = like(Direction::NegX) {
                    labels[west]
                } else {
                    sweeps.push(Sweep { first: x, last: x, region: NO_REGION, contacts: 0, is_torn: false });
                    to_u32(sweeps.len() - 1)
                };
                labels[span] = number;
                let sweep = &mut sweeps[number as usize];
                sweep.last = x;
                if let Some(north) = like(Direction::NegZ) {
                    let region = labels[north];
                    let open = &mut regions[region as usize];
                    if open.contacts == 0 {
                        touched.push(region);
                    }
                    open.contacts += 1;
                    sweep.contacts += 1;
                    sweep.is_torn |= sweep.region != NO_REGION && sweep.region != region;
                    sweep.region = region;
                }
            }
        }
        for sweep in &mut sweeps {
            let Sweep { first, last, .. } = *sweep;
            let continues = !sweep.is_torn
                && regions.get(sweep.region as usize).is_some_and(|open| {
                    // The run continues the region if nothing else touches it, and if they touch
                    // wherever they are adjacent, so there is no cliff between them.
                    let side_by_side = last.min(open.last) + 1 - first.max(open.first);
                    open.contacts == sweep.contacts && side_by_side == sweep.contacts
                });
            if continues {
                let open = &mut regions[sweep.region as usize];
                (open.first, open.last) = (first, last);
            } else {
                sweep.region = RegionId::from_index(regions.len()).0;
                regions.push(Open { first, last, contacts: 0 });
            }
        }
        for region in touched.drain(..) {
            regions[region as usize].contacts = 0;
        }
        for label in labels[row[0] as usize..row[width as usize] as usize].iter_mut() {
            if *label != NO_REGION {
                *label = sweeps[*label as usize].region;
            }
        }
    }
    (labels, RegionId::from_index(regions.len()).0)
}
