//! Decomposition by portals at notches, with a search for fewer polygons.

use std::cmp::Reverse;

use waymesh_core::stage::{Decompose, StageError};
use waymesh_core::{BadField, Observer, PolyMesh, Triangulation, checkpoint, to_u32};

use crate::ConvexError;
use crate::exact::MOST_VERTICES;
use crate::faces::Faces;
use crate::greedy::{check_max_vertices, merged, merged_as_stored};
use crate::improve::{Scratch, Search};
use crate::notch_search::{Closest, FoundPortals, NotchSearch, Partner, PortalCounts};
use crate::portal_mesh::{PortalMesh, Seen};
use crate::regions::decompose_regions;
use crate::relax::Relaxed;
use crate::subdivision::{Numbering, Subdivision};

/// Number of partners after which the search from a notch ends.
const MOST_PARTNERS: usize = 6;
/// Largest number of triangles searched for partners.
const PARTNER_TRIANGLES: usize = 12;
/// Largest number of triangles searched for the closest vertex. Most searches end after three.
const CLOSEST_TRIANGLES: usize = 256;

/// Largest number of rounds that restore notches that a portal would cut off. Two rounds were
/// enough on all plans so far.
const MOST_RELAXATIONS: usize = 16;

/// Configuration of [`notch_portals`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NotchPortalsConfig {
    /// Largest number of corners of a polygon, at least 3; 0 for no limit. Default 0.
    pub max_vertices: u32,
    /// Number of rounds of the search. Default 1. A second round takes 50 % more time and leaves
    /// 0.3 % fewer polygons. 0 disables the search.
    pub rounds: u32,
    /// Vertices of the largest patches that the search solves, 8 to 1024. Default 240. The search
    /// takes half the time with 64 and leaves 2 % more polygons. It takes almost twice the time
    /// with 480 and leaves 0.7 % fewer.
    pub window_vertices: u32,
    /// Regions of one area without holes and with at most this many vertices are decomposed into
    /// the fewest polygons possible. At most 1024. Default 128. The time grows with the square of
    /// the number of vertices; 128 vertices take about a millisecond.
    pub exact_vertices: u32,
    /// Convexity relaxation: the largest distance, in metres, between a chain of notches without
    /// portals and a straight wall. Default 0: every notch gets a portal, and polygons are convex.
    /// With any other value they are not convex: see [`notch_portals`].
    pub convex_distance: f32,
}

impl Default for NotchPortalsConfig {
    fn default() -> Self {
        Self { max_vertices: 0, rounds: 1, window_vertices: 240, exact_vertices: 128, convex_distance: 0.0 }
    }
}

waymesh_core::setters! {
    impl NotchPortalsConfig {
        with_max_vertices(max_vertices: u32);
        with_rounds(rounds: u32);
        with_window_vertices(window_vertices: u32);
        with_exact_vertices(exact_vertices: u32);
        with_convex_distance(convex_distance: f32);
    }
}

impl NotchPortalsConfig {
    /// Checks all fields.
    ///
    /// # Errors
    /// [`ConvexError::BadField`] names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), ConvexError> {
        check_max_vertices(self.max_vertices)?;
        let (window, exact, most) = (self.window_vertices, self.exact_vertices, to_u32(MOST_VERTICES));
        BadField::unless((8..=most).contains(&window), "window_vertices", window, "8 to 1024")?;
        BadField::unless(exact <= most, "exact_vertices", exact, "at most 1024")?;
        Ok(BadField::unless_length("convex_distance", self.convex_distance)?)
    }
}

/// Decomposes triangles into few convex polygons. Every notch gets a portal to the closest vertex
/// in its area of interest. Unneeded portals are removed. Then patches of polygons are replaced by
/// the fewest polygons possible.
///
/// # Method
/// 1. A notch's area of interest is the cone between the straight continuations of its two border
///    edges: a portal into it leaves two convex corners. The visible vertices in it are found by a
///    search through the triangles from the notch, the closest first. Existing portals block the
///    view. Notches that see each other in both areas of interest come first, the closest pairs
///    first. The portal replaces the edges of the triangulation that it crosses.
/// 2. A notch that sees no vertex in its area of interest keeps two edges of the triangulation, on
///    either side of it.
/// 3. Edges, and then portals, that no notch needs are removed, the longest first.
/// 4. Search: the polygons are divided into patches without holes of up to
///    [`NotchPortalsConfig::window_vertices`] vertices. Each is decomposed again by dynamic
///    programming, into the fewest polygons, then with the fewest portals that leave a narrow angle
///    next to the border, then with the shortest portals. Patches stay small where little can be
///    gained. The next round uses patches around the borders of the previous patches.
/// 5. A portal that leaves narrow angles next to borders or other portals is turned around the
///    notch that needs it, if another position leaves fewer.
///
/// Portals end at vertices only. In the papers a portal may end anywhere on an edge if no vertex is
/// closer. Such a point is rarely on the grid, so it would move the border. It would also have to
/// be a vertex of the polygon beyond, which another tile may hold. The cost is that a notch that
/// sees no vertex has two portals instead of one.
///
/// # Convexity relaxation
/// With [`NotchPortalsConfig::convex_distance`], walls along chains of notches are simplified
/// (Douglas and Peucker), and only the remaining notches get portals: a round pillar becomes one of
/// few corners. Afterwards the polygons get all vertices of the walls again. So together they cover
/// exactly the triangles and do not overlap, but they are **not convex**: their hulls, and straight
/// segments between two points of a polygon, reach into the walls by up to that distance. Their
/// corners on such walls do not count towards `max_vertices`. A `NavMesh` accepts convex polygons
/// only; `RelaxedPolygons` of crate `waymesh-graph` relaxes the search on a `NavMesh`.
///
/// # Guarantees
/// - Polygons are convex (without relaxation), lie in one region and area, and meet edge to edge;
///   together they cover exactly the triangles.
/// - Without relaxation, every region has at most as many polygons as with [`crate::merge_greedy`]
///   in the orders [`crate::MergeOrder::FewestWays`] and [`crate::MergeOrder::Stored`]. (If
///   triangles overlap within a region, this holds for the total number only.)
/// - The polygons of a region depend on its own triangles and their order, not on other regions, as
///   long as no triangles overlap.
/// - A region of one area without holes and vertices inside, of at most
///   [`NotchPortalsConfig::exact_vertices`] vertices, has the fewest polygons that portals between
///   its vertices can give.
/// - A vertex on a straight border between two polygons that no third polygon uses is dropped.
///   Vertices inside a region are dropped if no polygon needs them. Other vertices keep their
///   order. Corners on walls stay.
/// - Polygons are numbered by region, then by their lowest vertex and the next vertex. Their first
///   corner is the lowest vertex.
///
/// # Cost
/// Almost linear: views and patches are bounded. Ten to fifteen times the time of
/// [`crate::merge_greedy`]: a third for portals and two thirds for the search. Regions are
/// decomposed on all threads of the current rayon pool.
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
            checkpoint();
            let relaxed = Relaxed::new(triangulation, &faces, distance, &kept);
            if relaxed.is_empty() {
                break;
            }
            let mut subdivision = decompose(&relaxed.triangulation, config)?;
            let mut is_whole = true;
            for wall in relaxed.cut_off(&subdivision) {
                (is_whole, kept[wall as usize]) = (false, true);
            }
            if is_whole {
                relaxed.restore(&mut subdivision);
                return Ok(subdivision.into_mesh(Numbering::Vertices));
            }
        }
    }
    Ok(decompose(triangulation, config)?.into_mesh(Numbering::Vertices))
}

/// Decomposes all regions.
fn decompose<'t>(
    triangulation: &'t Triangulation,
    config: &NotchPortalsConfig,
) -> Result<Subdivision<'t>, ConvexError> {
    decompose_regions(triangulation, |region, scratch| {
        Ok(decompose_region(region, config, scratch)?.into_tables())
    })
}

/// Decomposes a region.
fn decompose_region<'t>(
    triangulation: &'t Triangulation,
    config: &NotchPortalsConfig,
    scratch: &mut Scratch,
) -> Result<Subdivision<'t>, ConvexError> {
    let faces = Faces::new(triangulation)?;
    let FoundPortals { triangulation: exchanged, fixed, .. } = with_portals(triangulation, &faces, None);
    let greedy = |faces: Faces<'t>| merged(faces, config.max_vertices).into_subdivision();
    // If triangles overlap, a portal may leave inverted ones.
    let Ok(mut own) = Faces::new(&exchanged) else {
        let mut subdivision = greedy(faces);
        search(&mut subdivision, config, scratch);
        return Ok(subdivision);
    };
    for portals in [false, true] {
        checkpoint();
        let mut edges: Vec<u32> = own.inner_edges().filter(|&edge| fixed[edge as usize] == portals).collect();
        edges.sort_by_cached_key(|&edge| Reverse(own.length_squared(edge)));
        own.remove_in_order(edges, config.max_vertices);
    }
    let mut subdivision = own.into_subdivision();
    if search(&mut subdivision, config, scratch) {
        return Ok(subdivision.of(triangulation));
    }
    let mut subdivision = subdivision.of(triangulation);
    let stored = merged_as_stored(faces.clone(), config.max_vertices).into_subdivision();
    let others = [greedy(faces), stored];
    let mut is_replaced = false;
    for other in &others {
        if other.len() < subdivision.len() {
            let [mine, theirs] = [&subdivision, other].map(|whole| whole.living().collect::<Vec<u32>>());
            is_replaced |= subdivision.take_region(&mine, other, &theirs);
        }
    }
    if is_replaced {
        search(&mut subdivision, config, scratch);
    }
    for other in others {
        if other.len() < subdivision.len() {
            subdivision = other;
        }
    }
    Ok(subdivision)
}

/// [`notch_portals`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NotchPortals {
    /// The configuration.
    pub config: NotchPortalsConfig,
}

impl Decompose for NotchPortals {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        _observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        notch_portals(triangulation, &self.config).map_err(StageError::at("decompose"))
    }
}

/// Searches for fewer and better polygons. Returns `true` if the number is proven to be the lowest.
fn search(subdivision: &mut Subdivision<'_>, config: &NotchPortalsConfig, scratch: &mut Scratch) -> bool {
    if config.rounds == 0 && config.exact_vertices == 0 {
        return false;
    }
    let mut search = Search::new(subdivision, config.max_vertices, scratch);
    let are_fewest = search.solve_small(config.exact_vertices as usize);
    search.sweep(config.window_vertices as usize, config.rounds);
    if config.rounds > 0 {
        search.widen();
    }
    search.unite();
    are_fewest
}

/// Makes the portals of all notches, with `search` if given. The portals do not depend on the
/// search.
///
/// # Cost
/// Views from notches are bounded; see [`crate::notch_portals`].
///
/// # Errors
/// See [`crate::notch_portals`].
///
/// # References
/// Oliva and Pelechano 2012, A GPU based method for the automatic generation of near-optimal
/// navigation meshes, section 4.1.
pub fn find_portals(
    triangulation: &Triangulation,
    search: Option<&dyn NotchSearch>,
) -> Result<FoundPortals, ConvexError> {
    let faces = Faces::new(triangulation)?;
    Ok(with_portals(triangulation, &faces, search))
}

/// Returns triangles that have the portals of notches as edges.
fn with_portals(
    triangulation: &Triangulation,
    faces: &Faces<'_>,
    search: Option<&dyn NotchSearch>,
) -> FoundPortals {
    let mut mesh = PortalMesh::new(triangulation, |edge| (faces.twin(edge), faces.is_inner(edge)));
    // First portals that serve two notches: without the search, 4 % fewer polygons.
    let partners = search.and_then(|search| search.partners(&mesh.tables()));
    join_pairs(&mut mesh, partners.unwrap_or_default());
    let mut counts = PortalCounts { notches: mesh.notches.len() as u64, ..PortalCounts::default() };
    let mut found = search.and_then(|search| search.closest(&mesh.tables())).unwrap_or_default();
    if !found.is_empty() {
        mesh.note_changes();
    }
    let mut notches: Vec<u32> = (0..to_u32(mesh.notches.len())).collect();
    // Then the notch with the narrowest area of interest, which has the fewest choices.
    let sharpness: Vec<f64> = notches.iter().map(|&notch| mesh.sharpness(notch)).collect();
    notches.sort_by(|&a, &b| sharpness[b as usize].total_cmp(&sharpness[a as usize]));
    for notch in notches {
        let known = found.get_mut(notch as usize).and_then(Option::take);
        let is_valid = |known: &Closest| {
            known.vertex.is_none_or(|vertex| (vertex as usize) < triangulation.vertices.len())
                && !mesh.has_changed(&known.visited)
        };
        let vertex = match known.filter(is_valid) {
            Some(known) => {
                counts.at_once += 1;
                known.vertex
            }
            None => {
                counts.again += 1;
                closest(&mut mesh, notch).map(|seen| seen.vertex)
            }
        };
        if let Some(vertex) = vertex {
            mesh.insert(notch, vertex);
        }
    }
    let (triangulation, fixed) = mesh.finish();
    FoundPortals { triangulation, fixed, counts }
}

/// Makes portals between notches that see each other in both areas of interest. `partners` holds
/// the results of notches that have been searched already.
fn join_pairs(mesh: &mut PortalMesh<'_>, mut partners: Vec<Option<Vec<Partner>>>) {
    let mut pairs = Vec::new();
    for notch in 0..to_u32(mesh.notches.len()) {
        checkpoint();
        let known = partners.get_mut(notch as usize).and_then(Option::take);
        let is_valid = |known: &Partner| (known.notch as usize) < mesh.notches.len();
        if let Some(known) = known.filter(|known| known.iter().all(is_valid)) {
            let pair = |known: Partner| (known.cost, notch.min(known.notch), notch.max(known.notch));
            pairs.extend(known.into_iter().map(pair));
            continue;
        }
        let eye = mesh.notches[notch as usize].vertex;
        let mut found = 0;
        mesh.visit(notch, PARTNER_TRIANGLES, |mesh, seen| {
            if let Some(other) = mesh.notch_towards(seen.vertex, eye) {
                pairs.push((seen.cost, notch.min(other), notch.max(other)));
                found += 1;
            }
            if found < MOST_PARTNERS { f64::INFINITY } else { 0.0 }
        });
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, first, second) in pairs {
        checkpoint();
        if mesh.is_open(first) && mesh.is_open(second) {
            let target = mesh.notches[second as usize].vertex;
            mesh.insert(first, target);
        }
    }
}

/// Returns the best vertex for the portal of an open notch.
fn closest(mesh: &mut PortalMesh<'_>, notch: u32) -> Option<Seen> {
    let mut best: Option<Seen> = None;
    mesh.visit(notch, CLOSEST_TRIANGLES, |_, seen| {
        if best.is_none_or(|best| (seen.cost, seen.vertex) < (best.cost, best.vertex)) {
            best = Some(seen);
        }
        best.map_or(f64::INFINITY, |best| best.cost)
    });
    best
}
