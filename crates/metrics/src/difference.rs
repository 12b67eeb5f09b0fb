//! The difference between two meshes of one scene.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use serde::Serialize;
use waymesh_core::{BadField, DisjointSets, PolyId, Random, float, to_u32};
use waymesh_graph::{AreaCosts, Link, NavMesh, Reach};

/// Settings of [`Difference::between`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DifferenceConfig {
    /// Distance between two samples in plan, in metres; `None` is the cell size of the new mesh, or
    /// more where that gives over a million samples. Finite, above 0, and long enough for at most a
    /// hundred million samples. Default `None`.
    pub spacing: Option<f32>,
    /// Distance in plan by which borders and ends of links may move without a difference, in metres;
    /// `None` is the spacing. Finite, at least 0. Default `None`.
    pub tolerance: Option<f32>,
    /// Pairs of places whose paths are compared. Default 200.
    pub pairs: u32,
    /// Change of the length of a path that counts, as a share of the old one. Finite, at least 0.
    /// Default 0.05.
    pub length_share: f32,
}

impl Default for DifferenceConfig {
    fn default() -> Self {
        Self { spacing: None, tolerance: None, pairs: 200, length_share: 0.05 }
    }
}

waymesh_core::setters! {
    impl DifferenceConfig {
        with_spacing(spacing: Some(f32));
        with_tolerance(tolerance: Some(f32));
        with_pairs(pairs: u32);
        with_length_share(length_share: f32);
    }
}

/// The difference between an old and a new mesh of one scene, found by samples on a lattice in
/// plan. Pieces of ground are connected over portals and links.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// Distance between two samples in metres.
    pub spacing: f32,
    /// Distance by which borders may move without a difference, in metres.
    pub tolerance: f32,
    /// Ground of the old mesh that the new one lacks.
    pub lost: Change,
    /// Ground of the new mesh that the old one lacked.
    pub gained: Change,
    /// Number of pieces in the old and the new mesh.
    pub pieces: [usize; 2],
    /// Pieces of the old mesh that are one in the new mesh: a place on each.
    pub joined: Vec<Vec<[f32; 3]>>,
    /// Pieces of the new mesh that were one in the old mesh: a place on each.
    pub parted: Vec<Vec<[f32; 3]>>,
    /// Links of the old mesh that the new one lacks.
    pub links_lost: Vec<LinkReport>,
    /// Links of the new mesh that the old one lacked.
    pub links_gained: Vec<LinkReport>,
    /// Paths between places of both meshes.
    pub paths: PathChanges,
}

/// Ground that one of two meshes has.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Area in plan in square metres.
    pub area: f64,
    /// Its connected patches, the largest first.
    pub patches: Vec<Patch>,
    /// All samples of it.
    #[serde(skip)]
    pub samples: Vec<Vec3>,
}

/// A connected patch of ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Patch {
    /// Area in plan in square metres.
    pub area: f64,
    /// A place on it.
    pub place: [f32; 3],
}

/// A link.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LinkReport {
    /// Name of its kind.
    pub kind: &'static str,
    /// Middle of its start.
    pub from: [f32; 3],
    /// Middle of its end.
    pub to: [f32; 3],
}

/// Changes of paths between random places that both meshes have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PathChanges {
    /// Pairs of places.
    pub pairs: u32,
    /// Pairs that only the old mesh has a path for.
    pub broken: u32,
    /// Pairs that only the new mesh has a path for.
    pub opened: u32,
    /// Pairs with a longer path.
    pub longer: u32,
    /// Pairs with a shorter path.
    pub shorter: u32,
    /// The pair whose path changed most: a broken one, else an opened one, else the one with the
    /// largest ratio.
    pub worst: Option<PathChange>,
}

/// A path that changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PathChange {
    /// Start.
    pub from: [f32; 3],
    /// Goal.
    pub to: [f32; 3],
    /// Length in the old mesh in metres; `None` without a path.
    pub old: Option<f32>,
    /// Length in the new mesh.
    pub new: Option<f32>,
}

/// Most samples of a mesh unless the spacing is given.
const MAX_SAMPLES: f64 = 1e6;
/// Most samples of a mesh, which take some gigabytes.
const SAMPLES_LIMIT: f64 = 1e8;

impl Difference {
    /// Compares two meshes.
    ///
    /// # Cost
    /// Two lookups per sample, and `pairs` paths on each mesh.
    ///
    /// # Errors
    /// Names the first setting that is out of its range.
    pub fn between(old: &NavMesh, new: &NavMesh, config: &DifferenceConfig) -> Result<Self, BadField> {
        let area = old.area().max(new.area());
        let spacing = config.spacing.unwrap_or_else(|| {
            let least = (area / MAX_SAMPLES).sqrt();
            #[expect(clippy::cast_possible_truncation, reason = "a length")]
            let least = least as f32;
            new.frame().cell_size.max(least)
        });
        let tolerance = config.tolerance.unwrap_or(spacing);
        BadField::unless_positive("spacing", spacing)?;
        let is_few = area <= SAMPLES_LIMIT * f64::from(spacing).powi(2);
        BadField::unless(is_few, "spacing", spacing, "long enough for 100 million samples at most")?;
        BadField::unless_length("tolerance", tolerance)?;
        BadField::unless_length("length_share", config.length_share)?;
        let rise = new.agent().max_step.max(2.0 * new.frame().level_height);
        let reach = Reach::new(tolerance, rise, rise);
        let [before, after] = [old, new].map(|mesh| Samples::of(mesh, spacing));
        let (lost, kept) = before.split(new, &reach);
        let (gained, _) = after.split(old, &reach);
        let [was, is] = [old, new].map(pieces);
        let mut overlaps: BTreeMap<(u32, u32), (usize, Vec3)> = BTreeMap::new();
        for &(place, from, to) in &kept {
            if let (Some(from), Some(to)) = (was(from), is(to)) {
                overlaps.entry((from, to)).or_insert((0, place)).0 += 1;
            }
        }
        let several = |key: fn(&(u32, u32)) -> u32| {
            let mut groups: BTreeMap<u32, Vec<[f32; 3]>> = BTreeMap::new();
            // A few samples at a border that moved are no piece.
            for (pair, (_, place)) in overlaps.iter().filter(|(_, (count, _))| *count >= MIN_OVERLAP_SAMPLES)
            {
                groups.entry(key(pair)).or_default().push(place.to_array());
            }
            groups.into_values().filter(|places| places.len() > 1).collect()
        };
        let count = |mesh: &NavMesh, piece: &dyn Fn(PolyId) -> Option<u32>| {
            let mut pieces: Vec<u32> = mesh.polygons().filter_map(|polygon| piece(polygon.id())).collect();
            pieces.sort_unstable();
            pieces.dedup();
            pieces.len()
        };
        Ok(Self {
            spacing,
            tolerance,
            lost: lost.change(spacing, rise),
            gained: gained.change(spacing, rise),
            pieces: [count(old, &was), count(new, &is)],
            joined: several(|pair| pair.1),
            parted: several(|pair| pair.0),
            links_lost: missing_links(old, new, &reach),
            links_gained: missing_links(new, old, &reach),
            paths: PathChanges::of(old, new, &kept, config),
        })
    }

    /// Returns `true` if no difference was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { lost, gained, joined, parted, links_lost, links_gained, paths, .. } = self;
        lost.samples.is_empty()
            && gained.samples.is_empty()
            && joined.is_empty()
            && parted.is_empty()
            && links_lost.is_empty()
            && links_gained.is_empty()
            && paths.worst.is_none()
    }
}

/// Fewest samples that two pieces of ground share where they are the same ground.
const MIN_OVERLAP_SAMPLES: usize = 4;

/// Returns the piece of ground of each polygon, over links.
fn pieces(mesh: &NavMesh) -> impl Fn(PolyId) -> Option<u32> + '_ {
    |polygon| {
        let island = mesh.island_of(polygon)?;
        Some(mesh.first_linked_island(island).unwrap_or(island).0)
    }
}

/// A square of the lattice, a place in it, and its polygon.
type Sample = ((i64, i64), Vec3, PolyId);

/// Places on the ground of a mesh, one per square of a lattice in plan and polygon.
#[derive(Debug, Default)]
struct Samples(Vec<Sample>);

impl Samples {
    #[expect(clippy::cast_possible_truncation, reason = "squares of a mesh")]
    fn of(mesh: &NavMesh, spacing: f32) -> Self {
        let square = |metres: f32| (f64::from(metres) / f64::from(spacing)).floor() as i64;
        let middle = |square: i64| ((square as f64 + 0.5) * f64::from(spacing)) as f32;
        let mut all = Vec::new();
        for polygon in mesh.polygons() {
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for corner in polygon.positions() {
                (low, high) = (low.min(corner), high.max(corner));
            }
            for z in square(low.z)..=square(high.z) {
                for x in square(low.x)..=square(high.x) {
                    let place = Vec3::new(middle(x), low.y, middle(z));
                    if mesh.contains(polygon.id(), place) {
                        let height = mesh.height_in_polygon(polygon.id(), place).unwrap_or(low.y);
                        all.push(((x, z), place.with_y(height), polygon.id()));
                    }
                }
            }
        }
        Self(all)
    }

    /// Splits the samples: those that another mesh lacks, and the others with their own polygon and
    /// that of the other mesh.
    fn split(self, other: &NavMesh, reach: &Reach) -> (Self, Vec<(Vec3, PolyId, PolyId)>) {
        let (mut lacking, mut kept) = (Vec::new(), Vec::new());
        for sample in self.0 {
            match other.nearest(sample.1, reach) {
                Some(found) => kept.push((sample.1, sample.2, found.polygon)),
                None => lacking.push(sample),
            }
        }
        (Self(lacking), kept)
    }

    /// Returns the samples as ground, in connected patches.
    fn change(self, spacing: f32, rise: f32) -> Change {
        let area = f64::from(spacing) * f64::from(spacing);
        let mut by_square: HashMap<(i64, i64), Vec<u32>> = HashMap::new();
        for (number, (square, ..)) in (0..).zip(&self.0) {
            by_square.entry(*square).or_default().push(number);
        }
        let mut sets = DisjointSets::new(self.0.len());
        for (number, ((x, z), place, _)) in (0..).zip(&self.0) {
            for (across, along) in [(0, 0), (1, 0), (0, 1), (1, 1), (1, -1)] {
                for &other in by_square.get(&(x + across, z + along)).into_iter().flatten() {
                    if (self.0[other as usize].1.y - place.y).abs() <= rise {
                        sets.unite(number, other);
                    }
                }
            }
        }
        let mut patches: BTreeMap<u32, Patch> = BTreeMap::new();
        for (number, (_, place, _)) in (0..to_u32(self.0.len())).zip(&self.0) {
            let patch = patches.entry(sets.find(number));
            patch.or_insert(Patch { area: 0.0, place: place.to_array() }).area += area;
        }
        let mut patches: Vec<Patch> = patches.into_values().collect();
        patches.sort_by(|a, b| b.area.total_cmp(&a.area));
        let samples: Vec<Vec3> = self.0.into_iter().map(|(_, place, _)| place).collect();
        Change { area: samples.len() as f64 * area, patches, samples }
    }
}

/// Returns the middles of the ends of a link.
fn ends(mesh: &NavMesh, link: &Link) -> [Vec3; 2] {
    [&link.from, &link.to].map(|end| {
        let [a, b] = end.ends.map(|vertex| mesh.frame().position(vertex));
        a.midpoint(b)
    })
}

/// Returns the links of a mesh that another one lacks: links of a kind whose ends are near each
/// other are the same, in either direction if both can be taken so.
fn missing_links(mesh: &NavMesh, other: &NavMesh, reach: &Reach) -> Vec<LinkReport> {
    let others: Vec<_> = other.links().iter().map(|link| (link, ends(other, link))).collect();
    let is_near = |a: Vec3, b: Vec3| {
        let across = float::hypot(f64::from(a.x - b.x), f64::from(a.z - b.z));
        across <= f64::from(2.0 * reach.side) && (a.y - b.y).abs() <= reach.up
    };
    let mut missing = Vec::new();
    for link in mesh.links() {
        let [from, to] = ends(mesh, link);
        let is_same = |(candidate, [start, end]): &(&Link, [Vec3; 2])| {
            let is_turned = candidate.both_ways && is_near(from, *end) && is_near(to, *start);
            let is_same_way = is_near(from, *start) && is_near(to, *end) || is_turned;
            let state = (candidate.kind, candidate.both_ways, candidate.is_open);
            state == (link.kind, link.both_ways, link.is_open) && is_same_way
        };
        if !others.iter().any(is_same) {
            let kind = link.kind.name();
            missing.push(LinkReport { kind, from: from.to_array(), to: to.to_array() });
        }
    }
    missing
}

impl PathChanges {
    fn of(
        old: &NavMesh,
        new: &NavMesh,
        common: &[(Vec3, PolyId, PolyId)],
        config: &DifferenceConfig,
    ) -> Self {
        let mut found = Self::default();
        let (mut random, mut most) = (Random::new(1), 0.0);
        let costs = [old, new].map(AreaCosts::of_mesh);
        for _ in 0..if common.len() < 2 { 0 } else { config.pairs } {
            let [from, to] = [(); 2].map(|()| common[random.index(common.len())].0);
            let [was, is] = [(old, &costs[0]), (new, &costs[1])].map(|(mesh, costs)| {
                mesh.query().shortest().costs(costs).path(from, to).ok().map(|path| path.length)
            });
            found.pairs += 1;
            let change = match (was, is) {
                (Some(was), Some(is)) => {
                    let slack = 2.0 * new.frame().cell_size;
                    let is_other = (is - was).abs() > config.length_share * was + slack;
                    found.longer += u32::from(is_other && is > was);
                    found.shorter += u32::from(is_other && is < was);
                    if is_other { f64::from(is.max(was)) / f64::from(is.min(was)).max(1e-3) } else { 0.0 }
                }
                (None, None) => 0.0,
                (Some(_), None) => {
                    found.broken += 1;
                    f64::INFINITY
                }
                (None, Some(_)) => {
                    found.opened += 1;
                    f64::MAX
                }
            };
            if change > most {
                most = change;
                let (from, to) = (from.to_array(), to.to_array());
                found.worst = Some(PathChange { from, to, old: was, new: is });
            }
        }
        found
    }
}
