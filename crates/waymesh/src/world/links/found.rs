//! Links that were found, by where they were found, and their ids.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use waymesh_graph::{Link, LinkId, LinkKind, LinkOrder, NavMesh, TileKey, TileLink, TiledMesh};

use super::FOUND;

/// The object at which links are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::world) enum Source {
    /// Ledges whose lower ground is in a tile.
    Climbs(TileKey),
    /// Borders of the ground of a tile.
    Jumps(TileKey),
    /// Doors on the border of polygons of a tile.
    #[cfg(feature = "floorplan")]
    Doors(TileKey),
    /// Stairs or a lift of a plan.
    #[cfg(feature = "floorplan")]
    Element(Element),
}

/// Stairs or a lift of a plan, by their number.
#[cfg(feature = "floorplan")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::world) enum Element {
    Stairs(u32),
    Lift(u32),
}

/// A link, its name, and what that is made of.
#[derive(Clone, Copy, Debug)]
struct Found {
    order: LinkOrder,
    link: Link,
    base: u64,
    /// `None` until it is in the mesh.
    id: Option<LinkId>,
}

/// All links that were found.
#[derive(Debug, Default)]
pub(in crate::world) struct FoundLinks {
    by_source: BTreeMap<Source, Vec<Found>>,
    /// Sources of the links of one base: once for each of them.
    of_base: HashMap<u64, Vec<Source>>,
    source_of: HashMap<LinkId, Source>,
    of_door: BTreeMap<u32, BTreeSet<LinkId>>,
    /// Links that are to go, and bases whose links are named again.
    gone: Vec<LinkId>,
    stale: BTreeSet<u64>,
}

impl FoundLinks {
    /// Returns the existing links of a door.
    #[cfg(feature = "floorplan")]
    pub(super) fn of_door(&self, door: u32) -> impl Iterator<Item = (LinkId, &Link)> {
        let ids = self.of_door.get(&door).into_iter().flatten();
        ids.filter_map(|&id| {
            let found = self.by_source.get(self.source_of.get(&id)?)?;
            found.iter().find(|found| found.id == Some(id)).map(|found| (id, &found.link))
        })
    }

    /// These links are not in the mesh any more.
    pub(super) fn lose(&mut self, lost: &[LinkId]) {
        for &id in lost {
            let Some(source) = self.source_of.get(&id).copied() else { continue };
            let Some(links) = self.by_source.get_mut(&source) else { continue };
            let Some(at) = links.iter().position(|found| found.id == Some(id)) else { continue };
            let found = links.remove(at);
            self.unlist(&found, source);
        }
        // They went by themselves.
        self.gone.clear();
    }

    /// Takes over the polygons that links have in a mesh.
    pub(super) fn renumber(&mut self, mesh: &NavMesh) {
        for found in self.by_source.values_mut().flatten() {
            if let Some(link) = found.id.and_then(|id| mesh.link(id)) {
                found.link.from.polygon = link.from.polygon;
                found.link.to.polygon = link.to.polygon;
            }
        }
    }

    fn unlist(&mut self, found: &Found, source: Source) {
        if let Some(sources) = self.of_base.get_mut(&found.base) {
            if let Some(at) = sources.iter().position(|&known| known == source) {
                sources.swap_remove(at);
            }
            if sources.is_empty() {
                self.of_base.remove(&found.base);
            }
        }
        self.stale.insert(found.base);
        if let Some(id) = found.id {
            self.unname(id, &found.link);
        }
    }

    fn unname(&mut self, id: LinkId, link: &Link) {
        self.gone.push(id);
        self.source_of.remove(&id);
        if link.kind == LinkKind::Door
            && let Some(ids) = self.of_door.get_mut(&link.data)
        {
            ids.remove(&id);
        }
    }

    /// Puts links in place of all of a source.
    pub(super) fn put(
        &mut self,
        source: Source,
        links: Vec<(LinkOrder, Link)>,
        base_of: impl Fn(&Link) -> u64,
    ) {
        let mut before = self.by_source.remove(&source).unwrap_or_default();
        let mut after = Vec::with_capacity(links.len());
        for (order, link) in links {
            let same = |found: &Found| (found.order, found.link) == (order, link);
            if let Some(at) = before.iter().position(same) {
                after.push(before.swap_remove(at));
                continue;
            }
            let base = base_of(&link);
            after.push(Found { order, link, base, id: None });
            self.of_base.entry(base).or_default().push(source);
            self.stale.insert(base);
        }
        before.iter().for_each(|found| self.unlist(found, source));
        if !after.is_empty() {
            self.by_source.insert(source, after);
        }
    }

    /// Names what is new. Returns the links that are to go out of a mesh, and those that are to come.
    ///
    /// Links of one base, which are where others are, have ids one after the other, in their order.
    pub(super) fn settle(&mut self, mesh: &TiledMesh) -> (Vec<LinkId>, Vec<TileLink>) {
        let mut came = Vec::new();
        for base in std::mem::take(&mut self.stale) {
            let sources: BTreeSet<Source> = self.of_base.get(&base).into_iter().flatten().copied().collect();
            let mut places: Vec<(Source, usize)> = Vec::new();
            for source in sources {
                let links = self.by_source.get(&source).map_or(&[][..], Vec::as_slice);
                let own = links.iter().enumerate().filter(|(_, found)| found.base == base);
                places.extend(own.map(|(at, _)| (source, at)));
            }
            let link = |&(source, at): &(Source, usize)| {
                let Found { order, link, .. } = self.by_source[&source][at];
                TileLink { id: LinkId(base), order, link }
            };
            places.sort_by(|one, other| mesh.compare_links(&link(one), &link(other)));
            for (number, (source, at)) in (0..).zip(places) {
                let id = LinkId(FOUND | base.wrapping_add(number));
                let Some(found) = self.by_source.get_mut(&source).and_then(|links| links.get_mut(at)) else {
                    continue;
                };
                if found.id == Some(id) {
                    continue;
                }
                let before = found.id.replace(id);
                let Found { order, link, .. } = *found;
                if let Some(before) = before {
                    self.unname(before, &link);
                }
                came.push((source, TileLink { id, order, link }));
            }
        }
        // After all old names are gone: one may be given to another link.
        for (source, TileLink { id, link, .. }) in &came {
            self.source_of.insert(*id, *source);
            if link.kind == LinkKind::Door {
                self.of_door.entry(link.data).or_default().insert(*id);
            }
        }
        (std::mem::take(&mut self.gone), came.into_iter().map(|(_, link)| link).collect())
    }
}
