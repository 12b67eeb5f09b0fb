//! From a front end's [`Ground`] to a mesh: [`Baker`], its settings, and the back end that all
//! front ends share.
//!
//! ```text
//! Baker::bake -> FrontEnd::ground -> Ground -> shapes -> triangles -> polygons -> input links
//!                        -> heights -> without what is enclosed -> climbs -> jumps -> kept islands -> mesh -> Report
//! ```

mod advice;
mod back;
mod baker;
mod config;
mod draft;
mod enclosed;
mod error;
mod ground;
mod keep;
mod marks;
#[cfg(all(test, feature = "floorplan", feature = "slices", feature = "storeys"))]
mod option_table;
mod report;
mod settings;
mod stages;

pub(crate) use advice::pieces_by_radius;
pub use back::Bake;
pub use baker::{Baker, FrontEnd};
pub use config::{BakeConfig, CornerChoice, DecompositionKind, Enclosed, Keep, PartitionKind};
#[cfg(feature = "floorplan")]
pub(crate) use draft::Draft;
pub use error::{BakeError, ConfigError};
pub use ground::{Borders, Ground, Heights, InputLinks};
#[cfg(feature = "floorplan")]
pub(crate) use keep::closest;
pub(crate) use marks::{apply_marks, covered_in_all, is_swapped, warn_of_mark, warn_of_marks};
pub(crate) use report::go_on;
pub use report::{
    Advice, DeviceReport, EnclosedReport, GridReport, HeadRoomReport, IslandReport, PlanReport, RadiusReport,
    Recorder, Report, StageTime,
};
pub(crate) use stages::Solid;
#[cfg(feature = "floorplan")]
pub(crate) use stages::polygon_area;
pub use stages::{Refused, StageSet};
pub(crate) use stages::{check_soup, clear_unlabelled, distinct_triangles};
