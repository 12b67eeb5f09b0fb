//! Warns of scenes that were read with the wrong axis up.

use glam::DVec3;
use waymesh::TriangleSoup;
use waymesh::core::{float, triangle_normal};
use waymesh::io::UpAxis;

/// Shares of a scene's area that are level enough to walk on.
#[derive(Clone, Copy, Debug)]
struct Shares {
    /// With the axis that the scene was read with.
    told: f64,
    /// With the other axis.
    other: f64,
}

impl Shares {
    /// Adds up the triangles that face up and are no steeper than `max_slope`, for both axes.
    fn of(soup: &TriangleSoup, up: UpAxis, max_slope: f32) -> Self {
        let least = float::cos(f64::from(max_slope));
        // Reading with z up has turned the scene: y of the file is -z of the soup.
        let other = if up == UpAxis::Z { DVec3::NEG_Z } else { DVec3::Z };
        let mut sums = [0.0; 3];
        for normal in soup.finite_triangles().map(triangle_normal) {
            let length = normal.length();
            let walkable = |up: DVec3| if normal.dot(up) >= least * length { length } else { 0.0 };
            sums = [sums[0] + length, sums[1] + walkable(DVec3::Y), sums[2] + walkable(other)];
        }
        let [all, told, other] = sums;
        Self { told: told / all, other: other / all }
    }

    /// `true` if the other axis is the likely one. Of 55 real levels, the right axis never had less
    /// than 0.85 times the share of the other (a ship), and the wrong one mostly less than 0.6.
    fn are_suspicious(self) -> bool {
        self.other > 0.1 && self.told < 0.6 * self.other
    }
}

/// Warns if little of a scene is level enough to walk on, and much more were with the other axis
/// up.
pub(crate) fn check(soup: &TriangleSoup, up: UpAxis, max_slope: f32) {
    let shares = Shares::of(soup, up, max_slope);
    tracing::debug!(told = shares.told, other = shares.other, "walkable share of all triangles");
    if shares.are_suspicious() {
        let other = if up == UpAxis::Z { "y" } else { "z" };
        tracing::warn!(
            "only {:.0} % of the scene's area is level enough to walk on, but {:.0} % would be with {other} up: try --up {other}",
            shares.told * 100.0,
            shares.other * 100.0
        );
    }
}
