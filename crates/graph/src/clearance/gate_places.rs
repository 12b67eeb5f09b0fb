//! Index of the links that are gates.

use glam::DVec2;

/// Side of a square of [`GatePlaces`], in metres: about a room.
const SQUARE: f64 = 4.0;
/// A link over more squares than this is near everything.
const MOST_SQUARES: i64 = 256;

/// The links that are gates, by the squares of the plan that their ends lie in.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GatePlaces {
    /// Square and link, sorted.
    pub(super) squares: Vec<([i32; 2], u32)>,
    /// Links too long for squares.
    pub(super) long: Vec<u32>,
}

/// Returns the squares from one corner of a rectangle to the other.
#[expect(clippy::cast_possible_truncation, reason = "a plan has fewer than 2^30 squares")]
pub(super) fn squares(low: DVec2, high: DVec2) -> [[i32; 2]; 2] {
    [low, high].map(|at| [at.x, at.y].map(|along| (along / SQUARE).floor() as i32))
}

impl GatePlaces {
    pub(super) fn is_empty(&self) -> bool {
        self.squares.is_empty() && self.long.is_empty()
    }

    pub(super) fn insert(&mut self, number: u32, [low, high]: [[i32; 2]; 2]) {
        let count = |axis: usize| i64::from(high[axis]) - i64::from(low[axis]) + 1;
        if count(0).saturating_mul(count(1)) > MOST_SQUARES {
            self.long.push(number);
            return;
        }
        for x in low[0]..=high[0] {
            self.squares.extend((low[1]..=high[1]).map(|z| ([x, z], number)));
        }
    }

    /// Appends the links with an end in a rectangle to `out`, some more than once.
    pub(super) fn collect(&self, low: DVec2, high: DVec2, out: &mut Vec<u32>) {
        out.extend_from_slice(&self.long);
        let [low, high] = squares(low, high);
        let mut at = self.squares.partition_point(|(square, _)| *square < low);
        while let Some(&([x, z], number)) = self.squares.get(at).filter(|(square, _)| square[0] <= high[0]) {
            if z < low[1] {
                at += self.squares[at..].partition_point(|(square, _)| *square < [x, low[1]]);
            } else if z > high[1] {
                at += self.squares[at..].partition_point(|(square, _)| square[0] <= x);
            } else {
                out.push(number);
                at += 1;
            }
        }
    }
}
