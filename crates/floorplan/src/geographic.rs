//! Degrees of longitude and latitude as metres.

use glam::DVec3;
use waymesh_core::float;

/// Equatorial radius in metres, and the square of the eccentricity, of the ellipsoid of WGS 84.
const RADIUS: f64 = 6_378_137.0;
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_141_3e-3;

/// Steps of [`TangentPlane::degrees`]. Each leaves a twentieth of the error or less within 100 km
/// of places up to 71 degrees from the equator.
const STEPS: usize = 10;

/// The plane that touches the earth (WGS 84) at a place. Its coordinates are metres east and north
/// of the place.
///
/// # Guarantees
/// Within 10 km of the place, lengths are up to 1.3 millionths too short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentPlane {
    place: [f64; 2],
    /// The place, in metres from the centre of the earth.
    origin: DVec3,
    east: DVec3,
    north: DVec3,
}

impl TangentPlane {
    /// Returns the plane at a longitude and a latitude in degrees.
    #[must_use]
    pub fn new(place: [f64; 2]) -> Self {
        let [[east_sin, east_cos], [north_sin, north_cos]] = sines(place);
        let east = DVec3::new(-east_sin, east_cos, 0.0);
        let north = DVec3::new(-north_sin * east_cos, -north_sin * east_sin, north_cos);
        Self { place, origin: from_centre(place), east, north }
    }

    /// Returns metres east and north of the place for a longitude and a latitude in degrees.
    #[must_use]
    pub fn metres(&self, place: [f64; 2]) -> [f64; 2] {
        let away = from_centre(place) - self.origin;
        [away.dot(self.east), away.dot(self.north)]
    }

    /// Returns the longitude and the latitude in degrees of a point of the plane.
    #[must_use]
    pub fn degrees(&self, metres: [f64; 2]) -> [f64; 2] {
        let [_, [sin, cos]] = sines(self.place);
        let flat = 1.0 - ECCENTRICITY_SQUARED * sin * sin;
        // Metres of a radian along the parallel and along the meridian.
        let along = RADIUS / flat.sqrt() * cos;
        let up = RADIUS * (1.0 - ECCENTRICITY_SQUARED) / (flat * flat.sqrt());
        let mut place = self.place;
        for _ in 0..STEPS {
            let [east, north] = self.metres(place);
            place[0] += ((metres[0] - east) / along).to_degrees();
            place[1] += ((metres[1] - north) / up).to_degrees();
        }
        place
    }
}

/// Returns the sine and the cosine of a longitude and of a latitude in degrees.
fn sines(place: [f64; 2]) -> [[f64; 2]; 2] {
    place.map(|angle| {
        let (sin, cos) = float::sin_cos(angle.to_radians());
        [sin, cos]
    })
}

/// Returns a place on the ellipsoid in metres from the centre of the earth.
fn from_centre(place: [f64; 2]) -> DVec3 {
    let [[east_sin, east_cos], [north_sin, north_cos]] = sines(place);
    let normal = RADIUS / (1.0 - ECCENTRICITY_SQUARED * north_sin * north_sin).sqrt();
    let polar = normal * (1.0 - ECCENTRICITY_SQUARED);
    DVec3::new(normal * north_cos * east_cos, normal * north_cos * east_sin, polar * north_sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of a degree of the ellipsoid, as tables of WGS 84 have them, in metres.
    const DEGREES: [(f64, f64, f64); 4] = [
        (0.0, 111_319.491, 110_574.276),
        (15.0, 107_550.0, 110_649.0),
        (45.0, 78_847.0, 111_132.0),
        (60.0, 55_800.0, 111_412.0),
    ];

    #[test]
    fn a_degree_has_the_length_that_tables_give() {
        for (latitude, parallel, meridian) in DEGREES {
            let plane = TangentPlane::new([8.5, latitude]);
            let [east, aside] = plane.metres([8.501, latitude]);
            let [_, north] = plane.metres([8.5, latitude + 0.001]);
            assert!((east * 1000.0 - parallel).abs() < 1.0, "{latitude}: {east}");
            assert!((north * 1000.0 - meridian).abs() < 1.0, "{latitude}: {north}");
            assert!(aside.abs() < 0.01);
            assert!(plane.metres([8.5, latitude]).iter().all(|metres| metres.abs() < 1e-6));
        }
    }

    #[test]
    fn degrees_are_those_that_gave_the_metres() {
        for latitude in [-60.0, -1.3, 0.0, 47.0, 71.0] {
            let plane = TangentPlane::new([103.78, latitude]);
            for metres in [[0.0, 0.0], [30.0, -4.0], [-9e3, 9e3], [1e5, 2e4]] {
                let back = plane.metres(plane.degrees(metres));
                assert!((0..2).all(|axis| (back[axis] - metres[axis]).abs() < 1e-4), "{latitude}: {back:?}");
            }
        }
    }
}
