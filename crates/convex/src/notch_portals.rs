//! Portals from notches, and a search for fewer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use waymesh_core::stage::{Decompose, StageError};
use waymesh_core::{Observer, PolyMesh, RegionId, Triangulation};

use crate::ConvexError;
use crate::exact::MOST_VERTICES;
use crate::faces::Faces;
use crate::greedy::{check_max_vertices, merged};
use crate::improve::Search;
use crate::portal_mesh::{PortalMesh, Seen};
use crate::relax::Relaxed;
use crate::subdivision::{Numbering, Subdivision, index};

/// Partners noted for a notch.
const MOST_PARTNERS: usize = 6;
/// Triangles looked at in search of partners.
const PARTNER_TRIANGLES: usize = 12;
/// Triangles looked at in search of the closest vertex. Most searches end after three.
const CLOSEST_TRIANGLES: usize = 256;

/// How often notches that a portal would cut off are given back. Two times are enough on all plans
/// seen.
const MOST_RELAXATIONS: usize = 16;

/// How [`notch_portals`] works.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotchPortalsConfig {
    /// Most corners of a polygon, at least 3; 0 for no limit. Default 0.
    pub max_vertices: u32,
    /// Which notch gets its portal first. Default [`NotchOrder::Sharpest`].
    pub order: NotchOrder,
    /// Whether a portal goes first where two notches each lie in the other's area of interest, so
    /// that it serves both. Default true: before the search that leaves about 4 % fewer
    /// polygons.
    pub pairs_first: bool,
    /// How often the polygons are gone through for better ones. Default 1: a second time takes half
    /// as long again, for 0.3 % fewer polygons. 0 leaves the portals as the notches got them.
    pub rounds: u32,
    /// Vertices of the largest patches that the search takes out and solves, 8 to 1024. Default
    /// 240. With 64 it takes half the time and leaves 2 % more polygons, with 480 nearly twice
    /// the time for 0.7 % fewer.
    pub window_vertices: u32,
    /// Regions of one area without holes that have at most this many vertices get the fewest
    /// polygons possible. At most 1024. Default 128. Grows like the square of the number of
    /// vertices: 128 take about a millisecond.
    pub exact_vertices: u32,
    /// Convexity relaxation: how far from straight a wall may run along notches that get no portal,
    /// in metres. Default 0: every notch counts, and polygons are convex. Otherwise they are
    /// not: see [`notch_portals`].
    pub convex_distance: f32,
}

/// Which notch gets its portal first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotchOrder {
    /// The one with the narrowest area of interest: it has the least choice.
    #[default]
    Sharpest,
    /// The one whose portal is the shortest.
    Shortest,
    /// As they come in the triangulation.
    Stored,
}

impl Default for NotchPortalsConfig {
    fn default() -> Self {
        Self {
            max_vertices: 0,
            order: NotchOrder::default(),
            pairs_first: true,
            rounds: 1,
            window_vertices: 240,
            exact_vertices: 128,
            convex_distance: 0.0,
        }
    }
}

impl NotchPortalsConfig {
    /// Sets [`NotchPortalsConfig::max_vertices`].
    #[must_use]
    pub fn with_max_vertices(mut self, max_vertices: u32) -> Self {
        self.max_vertices = max_vertices;
        self
    }

    /// Sets [`NotchPortalsConfig::order`].
    #[must_use]
    pub fn with_order(mut self, order: NotchOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets [`NotchPortalsConfig::pairs_first`].
    #[must_use]
    pub fn with_pairs_first(mut self, pairs_first: bool) -> Self {
        self.pairs_first = pairs_first;
        self
    }

    /// Sets [`NotchPortalsConfig::rounds`].
    #[must_use]
    pub fn with_rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Sets [`NotchPortalsConfig::window_vertices`].
    #[must_use]
    pub fn with_window_vertices(mut self, window_vertices: u32) -> Self {
        self.window_vertices = window_vertices;
        self
    }

    /// Sets [`NotchPortalsConfig::exact_vertices`].
    #[must_use]
    pub fn with_exact_vertices(mut self, exact_vertices: u32) -> Self {
        self.exact_vertices = exact_vertices;
        self
    }

    /// Sets [`NotchPortalsConfig::convex_distance`].
    #[must_use]
    pub fn with_convex_distance(mut self, metres: f32) -> Self {
        self.convex_distance = metres;
        self
    }

    /// Checks all fields.
    ///
    /// # Errors
    /// - [`ConvexError::BadMaxVertices`] for 1 and 2.
    /// - [`ConvexError::BadWindowVertices`], [`ConvexError::BadExactVertices`] and
    ///   [`ConvexError::BadConvexDistance`] out of range.
    pub fn validate(&self) -> Result<(), ConvexError> {
        check_max_vertices(self.max_vertices)?;
        let limit = index(MOST_VERTICES);
        if !(8..=limit).contains(&self.window_vertices) {
            return Err(ConvexError::BadWindowVertices { window_vertices: self.window_vertices, limit });
        }
        if self.exact_vertices > limit {
            return Err(ConvexError::BadExactVertices { exact_vertices: self.exact_vertices, limit });
        }
        if !(self.convex_distance.is_finite() && self.convex_distance >= 0.0) {
            return Err(ConvexError::BadConvexDistance { convex_distance: self.convex_distance });
        }
        Ok(())
    }
}

/// Cuts triangles into few convex polygons: every notch gets a portal to the closest vertex in its
/// area of interest, portals that nothing needs go, and then patches of polygons are taken out and
/// put back with the fewest polygons possible.
///
/// # Method
/// 1. A notch's area of interest is the cone between the straight continuations of its two border
///    edges: a portal into it leaves two convex corners. The vertices seen there are found by going
///    through the triangles from the notch, the closest ones first; portals made before hide what
///    is behind them. Notches that see each other in both areas of interest go first, closest pairs
///    first. The portal takes the place of the triangulation's edges that it crosses.
/// 2. A notch that sees no vertex in its area of interest keeps two edges of the triangulation, on
///    either side of it.
/// 3. Edges, and then portals, that no notch needs are removed, the longest first.
/// 4. Search: the polygons are gone through in patches without holes of up to
///    [`NotchPortalsConfig::window_vertices`] vertices. Each is decomposed anew by dynamic
///    programming, with the fewest polygons there are, among those with the fewest portals that
///    leave a narrow angle beside the border, and then with the shortest portals. Where little can
///    be gained a patch is small. The next round takes patches around the borders of the last.
/// 5. A portal that leaves narrow angles, also beside other portals, is turned around the notch
///    that needs it, if another place leaves fewer.
///
/// Portals end at vertices only. The papers let one end anywhere on an edge if no vertex is closer.
/// Such a point is seldom on the grid, so it would move the border; and it would have to be a
/// vertex of the polygon beyond, too, which another tile may hold. A notch that sees no vertex has
/// two portals instead of one: that is the price.
///
/// # Convexity relaxation
/// With [`NotchPortalsConfig::convex_distance`], walls along strings of notches are simplified
/// (Douglas and Peucker), and only notches that are left get portals: a round pillar becomes one of
/// few corners. The polygons have all vertices of the walls again, so together they cover exactly
/// the triangles and do not overlap; but they are **not convex**: their hulls reach into the
/// walls by up to that distance, and so may a straight way within a polygon. Their corners on such
/// walls do not count towards `max_vertices`. A `NavMesh` takes convex polygons only.
///
/// # Guarantees
/// - Polygons are convex (without relaxation), lie in one region and area, and meet edge to edge;
///   together they cover exactly the triangles.
/// - Without relaxation, in every region there are at most as many cells as [`crate::merge_greedy`]
///   and [`crate::hertel_mehlhorn`] leave. (Not so for triangles that overlap within a region; the
///   total holds there, too.)
/// - What the polygons of a region are depends on its own triangles and their order, not on other
///   regions, as long as no triangles overlap.
/// - A region of one area without holes and vertices inside, of at most
///   [`NotchPortalsConfig::exact_vertices`] vertices, has the fewest polygons that portals between
///   its vertices can give.
/// - A vertex that lies straight in the border between two polygons, and that no third one uses, is
///   dropped; vertices inside a region are dropped where polygons can do without. Other vertices
///   keep their order. Corners on walls stay.
/// - Polygons are numbered by region, then by their lowest vertex and the one after it, and start
///   there.
///
/// # Cost
/// Near linear: views and patches are bounded. Ten to fifteen times that of
/// [`crate::merge_greedy`]; a third of it goes into portals and the rest into the search.
///
/// # Errors
/// For bad configuration, unknown vertices, triangles without area, and neighbours that are not
/// mutual.
///
/// # References
/// - Oliva and Pelechano 2011, Automatic generation of suboptimal navmeshes; 2012, A GPU based
///   method for the automatic generation of near-optimal navigation meshes, section 4 (notches,
///   areas of interest, order of elements); Oliva 2012, master thesis, sections 4.3 (dispensable
///   portals) and 6 (non-essential portals).
/// - Keil 1985, Decomposing a polygon into simpler components, <https://doi.org/10.1137/0214056>;
///   Greene 1983, The decomposition of polygons into convex parts (dynamic programming).
/// - Bungiu et al. 2014, Efficient computation of visibility polygons, <https://arxiv.org/abs/1403.3905>
///   (triangular expansion).
pub fn notch_portals(
    triangulation: &Triangulation,
    config: &NotchPortalsConfig,
) -> Result<PolyMesh, ConvexError> {
    config.validate()?;
    let distance = f64::from(config.convex_distance) / f64::from(triangulation.frame.cell_size);
    if distance > 0.0 {
        let faces = Faces::new(triangulation)?;
        let mut kept = vec![false; faces.half_edge_count()];
        for _ in 0..MOST_RELAXATIONS {
            let relaxed = Relaxed::new(triangulation, &faces, distance, &kept);
            if relaxed.is_empty() {
                break;
            }
            let polygons = decompose(&relaxed.triangulation, config, |mut polygons| {
                let mut is_whole = true;
                for wall in relaxed.cut_off(&polygons) {
                    (is_whole, kept[wall as usize]) = (false, true);
                }
                is_whole.then(|| {
                    relaxed.restore(&mut polygons);
                    polygons.into_polygons(Numbering::Vertices)
                })
            })?;
            if let Some(polygons) = polygons {
                return Ok(polygons);
            }
        }
    }
    decompose(triangulation, config, |polygons| polygons.into_polygons(Numbering::Vertices))
}

/// Finds the polygons and hands them to `then`.
fn decompose<T>(
    triangulation: &Triangulation,
    config: &NotchPortalsConfig,
    then: impl FnOnce(Subdivision<'_>) -> T,
) -> Result<T, ConvexError> {
    let faces = Faces::new(triangulation)?;
    let (exchanged, fixed) = with_portals(triangulation, &faces, config);
    let greedy = merged(faces.clone(), config.max_vertices).into_subdivision();
    let mut faces = faces;
    let mut edges: Vec<u32> = faces.inner_edges().collect();
    faces.remove_in_order(&mut edges, config.max_vertices);
    let hertel_mehlhorn = faces.into_subdivision();
    // Where triangles overlap, a portal may leave some that are turned over.
    let Ok(mut faces) = Faces::new(&exchanged) else {
        return Ok(then(search(greedy, config, &|_| true)));
    };
    for portals in [false, true] {
        let mut edges: Vec<u32> =
            faces.inner_edges().filter(|&edge| fixed[edge as usize] == portals).collect();
        edges.sort_by_cached_key(|&edge| Reverse(faces.length_squared(edge)));
        faces.remove_in_order(&mut edges, config.max_vertices);
    }
    let mut polygons = search(faces.into_subdivision(), config, &|_| true);
    let mut replaced = BTreeSet::new();
    for other in [&greedy, &hertel_mehlhorn] {
        for (region, [mine, theirs]) in worse_regions(&polygons, other) {
            if polygons.take_region(&mine, other, &theirs) {
                replaced.insert(region);
            }
        }
    }
    // No other regions: the polygons of one do not depend on what lies in others.
    if !replaced.is_empty() {
        polygons = search(polygons, config, &|region| replaced.contains(&region));
    }
    for other in [greedy, hertel_mehlhorn] {
        if other.len() < polygons.len() {
            polygons = other;
        }
    }
    Ok(then(polygons))
}

/// [`notch_portals`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NotchPortals {
    /// How it works.
    pub config: NotchPortalsConfig,
}

impl Decompose for NotchPortals {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        _observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        notch_portals(triangulation, &self.config).map_err(|error| StageError::new("decompose", error))
    }
}

/// Searches the regions that are `wanted`.
fn search<'a>(
    mut polygons: Subdivision<'a>,
    config: &NotchPortalsConfig,
    wanted: &dyn Fn(RegionId) -> bool,
) -> Subdivision<'a> {
    if config.rounds > 0 || config.exact_vertices > 0 {
        let mut search = Search::new(&mut polygons, config.max_vertices, wanted);
        search.solve_small(config.exact_vertices as usize);
        search.sweep(config.window_vertices as usize, config.rounds);
        if config.rounds > 0 {
            search.widen();
        }
        search.unite();
    }
    polygons
}

/// Polygons of the regions in which the other polygons are fewer, and those.
fn worse_regions(polygons: &Subdivision<'_>, other: &Subdivision<'_>) -> Vec<(RegionId, [Vec<u32>; 2])> {
    let mut regions: BTreeMap<RegionId, [Vec<u32>; 2]> = BTreeMap::new();
    for (which, polygons) in [polygons, other].into_iter().enumerate() {
        for polygon in polygons.living() {
            regions.entry(polygons.polygons[polygon as usize].region).or_default()[which].push(polygon);
        }
    }
    regions.into_iter().filter(|(_, [mine, theirs])| theirs.len() < mine.len()).collect()
}

/// Triangles that have the notches' portals as edges, and for each half-edge whether it is one or
/// lies on a border.
fn with_portals(
    triangulation: &Triangulation,
    faces: &Faces<'_>,
    config: &NotchPortalsConfig,
) -> (Triangulation, Vec<bool>) {
    let mut mesh = PortalMesh::new(triangulation, |edge| (faces.twin(edge), faces.is_inner(edge)));
    if config.pairs_first {
        join_pairs(&mut mesh);
    }
    let mut notches: Vec<u32> = (0..index(mesh.notches.len())).collect();
    match config.order {
        NotchOrder::Shortest => join_closest(&mut mesh),
        NotchOrder::Stored => {}
        NotchOrder::Sharpest => {
            let sharpness: Vec<f64> = notches.iter().map(|&notch| mesh.sharpness(notch)).collect();
            notches.sort_by(|&a, &b| sharpness[b as usize].total_cmp(&sharpness[a as usize]));
        }
    }
    // After the shortest first, those that are left see nothing.
    for notch in notches {
        if let Some(seen) = closest(&mut mesh, notch) {
            mesh.insert(notch, seen.vertex);
        }
    }
    mesh.finish()
}

/// Makes portals between notches that each see the other in their area of interest.
fn join_pairs(mesh: &mut PortalMesh<'_>) {
    let mut pairs = Vec::new();
    for notch in 0..index(mesh.notches.len()) {
        let eye = mesh.notches[notch as usize].vertex;
        let mut found = 0;
        mesh.look(notch, PARTNER_TRIANGLES, |mesh, seen| {
            if let Some(other) = mesh.notch_towards(seen.vertex, eye) {
                pairs.push((seen.cost, notch.min(other), notch.max(other)));
                found += 1;
            }
            if found < MOST_PARTNERS { f64::INFINITY } else { 0.0 }
        });
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, first, second) in pairs {
        if mesh.is_open(first) && mesh.is_open(second) {
            let target = mesh.notches[second as usize].vertex;
            mesh.insert(first, target);
        }
    }
}

/// Makes portals, the shortest first.
fn join_closest(mesh: &mut PortalMesh<'_>) {
    let mut queue = BinaryHeap::new();
    // Costs are not negative: their bits are in the same order.
    for notch in 0..index(mesh.notches.len()) {
        if let Some(seen) = closest(mesh, notch) {
            queue.push(Reverse((seen.cost.to_bits(), notch)));
        }
    }
    while let Some(Reverse((cost, notch))) = queue.pop() {
        let Some(seen) = closest(mesh, notch) else { continue };
        if seen.cost.to_bits() > cost {
            queue.push(Reverse((seen.cost.to_bits(), notch)));
        } else {
            mesh.insert(notch, seen.vertex);
        }
    }
}

/// The vertex that an open notch best has a portal to.
fn closest(mesh: &mut PortalMesh<'_>, notch: u32) -> Option<Seen> {
    let mut best: Option<Seen> = None;
    mesh.look(notch, CLOSEST_TRIANGLES, |_, seen| {
        if best.is_none_or(|best| (seen.cost, seen.vertex) < (best.cost, best.vertex)) {
            best = Some(seen);
        }
        best.map_or(f64::INFINITY, |best| best.cost)
    });
    best
}
