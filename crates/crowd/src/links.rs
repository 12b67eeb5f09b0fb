//! Links that agents use: their durations, their landings, and the links that are crossed like
//! edges.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_core::PolyId;
use waymesh_graph::{Generation, Link, LinkId, LinkUse, NavMesh};

/// The data of the links of a mesh that a crowd needs. Recomputed when the links change.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkTable {
    generation: Option<Generation>,
    links: Vec<Link>,
    /// Polygons on both sides of links that are crossed like edges, and the segment between them.
    crossed: Vec<(PolyId, PolyId, [Vec2; 2])>,
}

impl LinkTable {
    /// Updates the table if the links changed; returns `true` if they did. Takes time `n log n` in
    /// the number of links, and only that of a comparison if they did not change.
    pub(crate) fn renew(&mut self, mesh: &NavMesh) -> bool {
        if self.generation == Some(mesh.generation()) && self.links == mesh.links() {
            return false;
        }
        self.generation = Some(mesh.generation());
        self.links.clear();
        self.links.extend_from_slice(mesh.links());
        self.crossed.clear();
        let is_crossed = |(id, link): &(&LinkId, &Link)| link.is_open && mesh.is_crossed_like_edge(**id);
        for (_, link) in mesh.link_ids().iter().zip(&self.links).filter(is_crossed) {
            let (from, to) = (link.from.polygon, link.to.polygon);
            let segment = link.from.ends.map(|end| {
                let (x, z) = (f64::from(end.point.x), f64::from(end.point.z));
                mesh.frame().to_world(x, f64::from(end.height), z).xz()
            });
            self.crossed.push((from, to, segment));
            if link.both_ways {
                self.crossed.push((to, from, segment));
            }
        }
        self.crossed.sort_by_key(|&(from, to, _)| (from, to));
        true
    }

    /// Returns the polygons beyond the links that leave `polygon` and are crossed like edges.
    pub(crate) fn crossed_from(&self, polygon: PolyId) -> impl Iterator<Item = (PolyId, [Vec2; 2])> + '_ {
        let begin = self.crossed.partition_point(|entry| entry.0 < polygon);
        let entries = self.crossed[begin..].iter().take_while(move |entry| entry.0 == polygon);
        entries.map(|&(_, to, segment)| (to, segment))
    }
}

/// An agent on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traversal {
    pub(crate) link: LinkUse,
    pub(crate) from: Vec3,
    pub(crate) to: Vec3,
    /// The polygon at its end.
    pub(crate) landing: PolyId,
    pub(crate) seconds: f32,
    /// Seconds since it began.
    pub(crate) spent: f32,
    /// Seconds it has waited for a free landing.
    pub(crate) waited: f32,
}

/// Seconds before its end from which an agent on a link keeps its landing free.
const NOTICE: f32 = 0.7;

/// Seconds that an agent waits for a free landing before it lands among others.
pub(crate) const MOST_WAIT: f32 = 2.0;

impl Traversal {
    /// Returns the travelled fraction of the link, from 0 to 1.
    pub(crate) fn share(&self) -> f32 {
        if self.seconds > 0.0 { (self.spent / self.seconds).min(1.0) } else { 1.0 }
    }

    pub(crate) fn position(&self) -> Vec3 {
        self.from.lerp(self.to, self.share())
    }

    /// Reverses the traversal at its position, to end at `landing`.
    pub(crate) fn turned(self, landing: PolyId) -> Self {
        let link = LinkUse { backwards: !self.link.backwards, ..self.link };
        let spent = (1.0 - self.share()) * self.seconds;
        Self { link, from: self.to, to: self.from, landing, spent, waited: 0.0, ..self }
    }

    pub(crate) fn left(&self) -> f32 {
        (self.seconds - self.spent).max(0.0)
    }

    /// Returns `true` if others keep its landing free.
    pub(crate) fn is_landing(&self) -> bool {
        self.left() <= NOTICE
    }
}
