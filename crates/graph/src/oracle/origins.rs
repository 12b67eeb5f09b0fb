//! The places that shortest paths turn at or take a link from, and what is seen from them.

use std::collections::{BTreeSet, HashMap};

use waymesh_core::{checkpoint, to_u32};

use super::labels::Graph;
use crate::geometry::plan::PlanPosition;
use crate::mesh::link::LinkIndex;
use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::oracle::{NO_INDEX, Site, SitePlace};
use crate::path::any_angle::AnyAngle;
use crate::path::any_angle::leg::Side;

/// An origin on the mesh.
#[derive(Debug)]
pub(super) struct Seer {
    pub(super) at: PlanPosition,
    /// The site of paths that come from here: the corner, or the link that lands here.
    pub(super) lands: u32,
    /// The site of paths that go here: the corner, or the link that leaves here.
    pub(super) leaves: u32,
    /// Length of that link, in cells.
    pub(super) length: f64,
    /// The ground that is seen, of a corner between two walls.
    pub(super) side: Side,
    pub(super) polygon: u32,
    /// The corner of the polygon.
    pub(super) corner: u32,
}

/// The ground and the turns that are seen from an origin.
#[derive(Debug)]
pub(super) struct Leg {
    /// Polygons, and the rays that bound what is seen of them.
    pub(super) seen: Vec<(u32, Option<[PlanPosition; 2]>)>,
    /// Turns that straight lines lead to, with the lengths to there.
    pub(super) led: Vec<(u32, f64)>,
}

/// Finds what is seen from an origin.
pub(super) fn leg(mesh: &NavMesh, seer: &Seer, memory: &mut AnyAngle) -> Leg {
    checkpoint();
    mesh.see_from(seer.at, [seer.polygon, seer.corner], seer.side, memory);
    let seen = memory.seen.iter().map(|seen| (seen.polygon, seen.rays)).collect();
    Leg { seen, led: memory.led.clone() }
}

/// Returns all sites and origins; `None` if there is a link that is crossed like an edge, but one
/// way only or at a cost.
pub(super) fn find(mesh: &NavMesh) -> Option<(Vec<Site>, Vec<Seer>)> {
    let links = || (0_u32..).zip(&mesh.links.links).filter(|(_, link)| link.is_open);
    let is_portal = |link: u32| mesh.links.is_portal(LinkIndex(link));
    if links().any(|(index, link)| is_portal(index) && !link.is_free()) {
        return None;
    }
    let id_of = |link: u32| mesh.links.ids[link as usize];
    let has_portals = links().any(|(index, _)| is_portal(index));
    let (mut sites, mut seers) = (Vec::new(), Vec::new());
    let mut known = BTreeSet::new();
    let mut add = |turn: u32, place, at, polygon: u32, corner: Option<u32>| {
        if known.insert(turn) {
            let site = to_u32(sites.len());
            sites.push(Site { place, at });
            let sides = if corner.is_some() { &[Side::Right, Side::Left][..] } else { &[Side::All] };
            let corner = corner.unwrap_or_default();
            let seer = |&side| Seer { at, lands: site, leaves: site, length: 0.0, side, polygon, corner };
            seers.extend(sides.iter().map(seer));
        }
    };
    for polygon in mesh.polygon_ids() {
        for corner in mesh.edge_range(polygon.index()) {
            let (fan, may_turn) = mesh.topology.fans.fan(to_u32(corner));
            let (turn, is_free) = mesh.links.turns.of_fan(fan);
            if may_turn && is_free {
                let at = mesh.topology.walk[corner].start();
                let is_split = !has_portals && !mesh.is_wound(polygon.0, to_u32(corner));
                let place = SitePlace::Corner { polygon: polygon.0 };
                add(turn, place, at, polygon.0, is_split.then_some(to_u32(corner)));
            }
        }
    }
    for (index, link) in links().filter(|(index, _)| is_portal(*index)) {
        for (is_to, end) in [(false, &link.from), (true, &link.to)] {
            for number in 0..2 {
                let (turn, may_turn) = mesh.links.turns.of_end(LinkIndex(index), is_to, number);
                if may_turn {
                    let place = SitePlace::End { link: id_of(index), is_to, number };
                    add(turn, place, end.ends[number as usize].point.into(), end.polygon.0, None);
                }
            }
        }
    }
    for (index, link) in links().filter(|(index, _)| !is_portal(*index)) {
        for place in 0..link.places() {
            let along = link.along(place);
            let ends = [&link.from, &link.to].map(|end| mesh.on_segment(end, along));
            let length = mesh.length_over(link, ends);
            let mut site = |backwards: bool| {
                if backwards && !link.both_ways {
                    return NO_INDEX;
                }
                let place = SitePlace::Link { link: id_of(index), backwards, place };
                sites.push(Site { place, at: ends[usize::from(backwards)].0 });
                to_u32(sites.len() - 1)
            };
            let [there, back] = [site(false), site(true)];
            for (at, polygon, leaves, lands) in
                [(ends[0].0, link.from.polygon.0, there, back), (ends[1].0, link.to.polygon.0, back, there)]
            {
                seers.push(Seer { at, lands, leaves, length, side: Side::All, polygon, corner: 0 });
            }
        }
    }
    Some((sites, seers))
}

/// Returns the graph of straight lines and links between sites.
pub(super) fn graph(mesh: &NavMesh, sites: &[Site], seers: &[Seer], legs: &[Leg]) -> Graph {
    let turns = (0..).zip(sites).filter_map(|(site, at)| Some((mesh.turn_of(at)?, site)));
    let site_of: HashMap<u32, u32> = turns.collect();
    let mut edges = Vec::new();
    for (seer, leg) in seers.iter().zip(legs).filter(|(seer, _)| seer.lands != NO_INDEX) {
        checkpoint();
        let led = leg.led.iter().filter_map(|(turn, length)| Some((*site_of.get(turn)?, *length)));
        edges.extend(led.map(|(to, length)| (seer.lands, to, length)));
    }
    Graph::new(sites.len(), edges)
}
