//! Polygons cut to a square.

use crate::geometry::plan::{PlanPosition, orientation};

/// A convex polygon cut to a square: a line cuts off at most one corner more than it adds.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut {
    pub(super) corners: Vec<PlanPosition>,
    other: Vec<PlanPosition>,
}

impl Cut {
    pub(super) fn crop(&mut self, middle: PlanPosition, radius: f64) {
        for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let beyond = |p: &PlanPosition| {
                let along = if axis == 0 { p.x - middle.x } else { p.z - middle.z };
                along * sign - radius
            };
            self.other.clear();
            for (index, &b) in self.corners.iter().enumerate() {
                let a = self.corners[if index == 0 { self.corners.len() - 1 } else { index - 1 }];
                let (from, to) = (beyond(&a), beyond(&b));
                if (from > 0.0) != (to > 0.0) {
                    let t = from / (from - to);
                    self.other.push(PlanPosition { x: a.x + (b.x - a.x) * t, z: a.z + (b.z - a.z) * t });
                }
                if to <= 0.0 {
                    self.other.push(b);
                }
            }
            std::mem::swap(&mut self.corners, &mut self.other);
        }
    }

    pub(super) fn doubled_area(&self) -> f64 {
        let Some(&first) = self.corners.first() else { return 0.0 };
        let fans = self.corners.windows(2);
        fans.map(|pair| orientation(first, pair[0], pair[1]).max(0.0)).sum()
    }
}
