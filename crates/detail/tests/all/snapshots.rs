//! Heights of a ramp between two levels.

use crate::common;
use common::{field, frame, rectangles, regions};
use waymesh_detail::{DetailConfig, fit_heights};
use waymesh_testkit::{snapshot, text};

#[test]
fn snapshot_heights() {
    let ramp = |x: f32, _: f32| (x - 6.0).clamp(0.0, 8.0);
    let field = field(20, 8, |x, z| Some(ramp(x, z)));
    let mesh = rectangles(frame(20, 8), &[0, 10, 20], &[0, 8], |_, _| 0, ramp);
    let regions = regions(&field, 1, |_, _| 0);
    let surface = fit_heights(&field, &regions, &mesh, &DetailConfig::default(), &mut ()).expect("heights");
    snapshot!("detail_heights", text::heights(&field.frame, &surface));
}
