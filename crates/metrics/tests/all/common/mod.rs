//! Scenes and meshes with known answers.

#![allow(unreachable_pub, reason = "test helpers")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use glam::Vec3;
use waymesh_core::{Agent, TriangleSoup};
use waymesh_metrics::{Evaluation, JudgedMesh, Judgement, MetricsConfig, Oracle};

/// Radius 0.5, height 2, steps up to 0.4, 45 degrees.
pub fn agent() -> Agent {
    Agent::default().with_radius(0.5).with_max_step(0.4)
}

/// Uncertain by 0.1 m.
pub fn config() -> MetricsConfig {
    MetricsConfig::default().with_samples(20_000).with_scale(0.1, 0.1).with_pairs(300)
}

#[derive(Default)]
pub struct Level {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Level {
    /// A quad whose normal points to where its corners run round against the clock.
    pub fn quad(mut self, corners: [[f32; 3]; 4]) -> Self {
        let base = u32::try_from(self.positions.len()).unwrap();
        self.positions.extend(corners.map(Vec3::from_array));
        self.triangles.extend([[base, base + 1, base + 2], [base, base + 2, base + 3]]);
        self
    }

    /// A level floor, facing up.
    pub fn floor(self, x: [f32; 2], z: [f32; 2], y: f32) -> Self {
        self.quad([[x[0], y, z[0]], [x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]]])
    }

    /// A closed box, facing outward.
    pub fn solid(self, low: [f32; 3], high: [f32; 3]) -> Self {
        let ([a, b, c], [d, e, f]) = (low, high);
        self.floor([a, d], [c, f], e)
            .quad([[a, b, c], [d, b, c], [d, b, f], [a, b, f]])
            .quad([[a, b, c], [a, e, c], [d, e, c], [d, b, c]])
            .quad([[a, b, f], [d, b, f], [d, e, f], [a, e, f]])
            .quad([[a, b, c], [a, b, f], [a, e, f], [a, e, c]])
            .quad([[d, b, c], [d, e, c], [d, e, f], [d, b, f]])
    }

    pub fn soup(&self) -> TriangleSoup {
        TriangleSoup::new(self.positions.clone(), self.triangles.clone()).unwrap()
    }

    pub fn oracle(&self) -> Oracle {
        Oracle::new(&self.soup(), &agent(), &config()).unwrap()
    }
}

/// Ten by ten metres, with a pillar of two by two in the middle.
pub fn pillar() -> Level {
    Level::default().floor([0.0, 10.0], [0.0, 10.0], 0.0).solid([4.0, 0.0, 4.0], [6.0, 3.0, 6.0])
}

/// Vertices and polygons, to be damaged.
#[derive(Clone)]
pub struct Draft {
    pub vertices: Vec<Vec3>,
    pub polygons: Vec<Vec<u32>>,
}

impl Draft {
    /// The rectangles between the lines, but for those in `without`, numbered row by row along x.
    pub fn lattice(xs: &[f32], zs: &[f32], y: f32, without: &[usize]) -> Self {
        let vertices =
            zs.iter().flat_map(|&z| xs.iter().map(move |&x| Vec3::new(x, y, z))).collect::<Vec<_>>();
        let width = u32::try_from(xs.len()).unwrap();
        let mut polygons = Vec::new();
        for z in 0..u32::try_from(zs.len()).unwrap() - 1 {
            for x in 0..width - 1 {
                let a = z * width + x;
                polygons.push(vec![a, a + 1, a + 1 + width, a + width]);
            }
        }
        let polygons = polygons.into_iter().enumerate().filter(|(polygon, _)| !without.contains(polygon));
        Self { vertices, polygons: polygons.map(|(_, corners)| corners).collect() }
    }

    /// The good mesh of [`pillar`].
    pub fn around_pillar() -> Self {
        let lines = [0.5, 3.5, 6.5, 9.5];
        Self::lattice(&lines, &lines, 0.0, &[4])
    }

    pub fn and(mut self, other: &Self) -> Self {
        let base = u32::try_from(self.vertices.len()).unwrap();
        self.vertices.extend(&other.vertices);
        self.polygons.extend(
            other.polygons.iter().map(|polygon| polygon.iter().map(|corner| corner + base).collect()),
        );
        self
    }

    pub fn mesh(&self) -> JudgedMesh {
        JudgedMesh::new(&self.vertices, self.polygons.clone()).unwrap()
    }
}

/// With a router that goes straight.
pub fn judge(oracle: &Oracle, mesh: &JudgedMesh) -> Judgement {
    oracle.evaluate(mesh, None)
}

pub fn figures(oracle: &Oracle, draft: &Draft) -> Evaluation {
    judge(oracle, &draft.mesh()).evaluation
}

/// Returns the share of `count` in `total`.
pub fn of(count: usize, total: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap()) / f64::from(u32::try_from(total).unwrap())
}

#[track_caller]
pub fn near(value: impl Into<Option<f64>>, expected: f64, tolerance: f64) {
    let value = value.into().expect("a figure");
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} where {expected} was expected, within {tolerance}"
    );
}
