//! Plans of robots in YAML: a map of ROS, or a building of Open-RMF.

use super::yaml::load;
use super::{Reader, map, rmf};
use crate::{FloorPlan, PlanError};

pub(super) fn parse(reader: &Reader<'_>, text: &str) -> Result<FloorPlan, PlanError> {
    let file = load(reader, text)?;
    if !file["levels"].is_badvalue() {
        rmf::parse(reader, &file)
    } else if !file["image"].is_badvalue() {
        map::ros(reader, &file)
    } else {
        Err(reader.fault(
            "neither a map of ROS, which has an `image`, nor a building of Open-RMF, which has `levels`",
        ))
    }
}
