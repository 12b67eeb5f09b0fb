//! Queries: for one point or pair, and for many.

use std::cell::RefMut;
use std::sync::Arc;

use glam::Vec3;
use js_sys::{Float32Array, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh_core::{AreaId, Random};
use waymesh_graph::{
    AreaCosts, FlagFilter, FlagTable, HeadRoomFilter, LinkChoice, Location, Outcome, PathOptions, PathSearch,
    QueryError,
};

use crate::convert::{Fields, flat, object, point, points, positions, same_count, whole};
use crate::discs::Disc;
use crate::error::{Kind, OrThrow, Thrown};
use crate::mesh::{Memory, NavMesh};
use crate::path;

/// Costs per metre, only where the mesh or the caller has costs.
pub(crate) type MeshCosts = Option<Arc<AreaCosts>>;

/// Polygons with head room for an agent, and with flags, where these are given.
pub(crate) type Allowed = (Option<HeadRoomFilter>, Option<FlagFilter>);

/// Options of a path.
pub(crate) type Options = PathOptions<Allowed, MeshCosts>;

/// Most places of one call, which would not fit into memory otherwise.
const MAX_SAMPLES: u32 = 10_000_000;

/// Options of a path, with the radius if one is given.
pub(crate) struct Asked {
    pub(crate) options: Options,
    radius: Option<f32>,
    fast: bool,
    searched: bool,
}

/// Polygons by the flags of a mesh, if one of both fields is given.
pub(crate) fn flag_filter(fields: &mut Fields, table: Option<&FlagTable>) -> Thrown<Option<FlagFilter>> {
    let mut taken = |name| fields.double(name)?.map(|given| crate::convert::flags(name, given)).transpose();
    let (include, exclude) = (taken("includeFlags")?, taken("excludeFlags")?);
    if include.or(exclude).is_none() {
        return Ok(None);
    }
    let flags = table.cloned().ok_or_else(missing_flags)?;
    Ok(Some(FlagFilter { flags, include: include.unwrap_or(u16::MAX), exclude: exclude.unwrap_or(0) }))
}

/// A length in metres.
fn metres(fields: &mut Fields, name: &'static str) -> Thrown<Option<f32>> {
    match fields.number(name)? {
        Some(metres) if !metres.is_finite() || metres < 0.0 => {
            let text = format_args!("{name} is {metres}, but must be finite and 0 m or more");
            Err(Kind::Query.error(text))
        }
        metres => Ok(metres),
    }
}

fn missing_flags() -> JsValue {
    Kind::Query.error("includeFlags and excludeFlags need flags: set `flags` of the mesh before")
}

impl NavMesh {
    /// Returns a filter by the flags of this mesh instead of other ones; `None` if it stays.
    pub(crate) fn with_its_flags(&self, filter: &Allowed) -> Thrown<Option<Allowed>> {
        let (height, Some(by_flags)) = filter else { return Ok(None) };
        let own = self.flags.clone().ok_or_else(missing_flags)?;
        let is_other = own != by_flags.flags;
        Ok(is_other.then(|| (*height, Some(FlagFilter { flags: own, ..by_flags.clone() }))))
    }

    fn asked(&self, options: &JsValue) -> Thrown<Asked> {
        let mut fields = Fields::new("options", options)?;
        let asked = self.take_asked(&mut fields)?;
        fields.finish()?;
        Ok(asked)
    }

    /// Takes the options of paths out of fields.
    pub(crate) fn take_asked(&self, fields: &mut Fields) -> Thrown<Asked> {
        let (shortest, fast) = (fields.flag("shortest", false)?, fields.flag("fast", false)?);
        let search = if shortest { PathSearch::Shortest } else { PathSearch::Fast };
        let allow_partial = fields.flag("allowPartial", true)?;
        let cross_points = fields.flag("crossPoints", false)?;
        let searched = fields.flag("searched", false)?;
        let rises = fields.flag("rises", false)?;
        let (ground_error, radius) = (metres(fields, "groundError")?, fields.number("radius")?);
        let (open, is_all) = self.take_open(fields)?;
        let is_for_points = cross_points || searched || rises || ground_error.is_some();
        if radius.is_some() && (is_for_points || !is_all) {
            let refused = "areaCosts, linkCosts, crossPoints, searched, rises, groundError, agentHeight and \
                           flags cannot be used with a radius";
            return Err(Kind::Query.error(refused));
        }
        if fast && (shortest || radius.is_none()) {
            return Err(Kind::Query.error("fast needs a radius, and cannot be used with shortest"));
        }
        if rises && !shortest {
            return Err(Kind::Query.error("rises needs shortest: a fast search does not count them"));
        }
        let mut options = open
            .with_search(search)
            .with_allow_partial(allow_partial)
            .with_cross_points(cross_points)
            .with_rises(rises);
        options.ground_error = ground_error;
        Ok(Asked { options, radius, fast, searched })
    }

    /// The options of queries about ground.
    fn open(&self, options: &JsValue) -> Thrown<Options> {
        let mut fields = Fields::new("options", options)?;
        let (open, _) = self.take_open(&mut fields)?;
        fields.finish()?;
        Ok(open)
    }

    /// Takes those out of fields that say which ground is open, and how far off it may be. `true` if
    /// there is none but the reach.
    fn take_open(&self, fields: &mut Fields) -> Thrown<(Options, bool)> {
        let (reach, height) = (fields.reach()?, metres(fields, "agentHeight")?);
        let costs = self.costs(fields)?;
        let flags = flag_filter(fields, self.flags.as_ref())?;
        let is_all = costs.is_none() && height.is_none() && flags.is_none();
        let costs = costs.or_else(|| self.has_costs.then(|| AreaCosts::of_mesh(&self.mesh)));
        let filter = (height.map(HeadRoomFilter::new), flags);
        let mut options = PathOptions::default().with_filter(filter).with_cost(costs.map(Arc::new));
        options.reach = reach;
        Ok((options, is_all))
    }

    /// The costs in two fields, of areas by number or name and of links by number or kind, over
    /// those of the mesh; `None` without both fields.
    pub(crate) fn costs(&self, fields: &mut Fields) -> Thrown<Option<AreaCosts>> {
        let (areas, links) = (fields.costs("areaCosts")?, fields.costs("linkCosts")?);
        if areas.is_none() && links.is_none() {
            return Ok(None);
        }
        let mut costs = AreaCosts::of_mesh(&self.mesh);
        for (name, cost) in areas.into_iter().flatten() {
            let area = name.parse().ok().map(AreaId).or_else(|| self.mesh.area_by_name(&name));
            let area =
                area.ok_or_else(|| Kind::Input.error(format_args!("there is no area named {name:?}")))?;
            costs = costs.with(area, cost);
        }
        for (name, cost) in links.into_iter().flatten() {
            let links: LinkChoice = name.parse().map_err(|error| Kind::Input.error(error))?;
            costs = costs.with_links(links, cost);
        }
        Ok(Some(costs))
    }

    fn find(&self, from: Vec3, to: Vec3, asked: &Asked, memory: &mut Memory) -> Result<(), QueryError> {
        let Memory { scratch, path, .. } = memory;
        let mut query = self.mesh.query().options(asked.options.clone()).memory(scratch);
        QueryError::accept_no_path(query.path_into(from, to, path))
    }

    /// Finds a path into the memory. Returns the memory, and `true` with the option `searched`.
    fn search(&self, start: &[f32], end: &[f32], options: &JsValue) -> Thrown<(RefMut<'_, Memory>, bool)> {
        let (from, to) = (point("start", start)?, point("end", end)?);
        // Options may have getters, which run code of the caller: the memory is borrowed afterwards.
        let asked = self.asked(options)?;
        let mut borrowed = self.memory.borrow_mut();
        let memory = &mut *borrowed;
        match asked.radius {
            Some(radius) => {
                let of = Disc { from, to, radius, fast: asked.fast };
                self.find_for_disc(&of, asked.options.allow_partial, asked.options.reach, memory)?;
            }
            None => self.find(from, to, &asked, memory).or_throw()?,
        }
        Ok((borrowed, asked.searched))
    }

    /// Refuses what is for one path.
    pub(crate) fn check_many(asked: &Asked) -> Thrown<()> {
        for (name, is_given) in [("radius", asked.radius.is_some()), ("searched", asked.searched)] {
            if is_given {
                return Err(Kind::Query.error(format_args!("{name} is an option of findPath only")));
            }
        }
        Ok(())
    }

    fn places<T>(
        &self,
        given: &[f32],
        options: &JsValue,
        of: impl Fn(Option<Location>) -> T,
    ) -> Thrown<Vec<T>> {
        let (given, open) = (points("points", given)?, self.open(options)?);
        let query = self.mesh.query().options(open);
        let near = |&at: &Vec3| match query.nearest(at) {
            Ok(place) => Ok(of(Some(place))),
            Err(QueryError::NoMeshNear { .. }) => Ok(of(None)),
            Err(error) => Err(error),
        };
        given.iter().map(near).collect::<Result<_, _>>().or_throw()
    }
}

#[wasm_bindgen]
impl NavMesh {
    /// Finds a path.
    #[wasm_bindgen(js_name = findPath, unchecked_return_type = "Path")]
    pub fn find_path(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "PathOptions")] options: JsValue,
    ) -> Thrown<JsValue> {
        let (memory, searched) = self.search(start, end, &options)?;
        let searched = searched.then(|| memory.scratch.searched_polygons(&self.mesh));
        Ok(path::path(&memory.path, searched.as_deref()))
    }

    /// Finds a path and copies its points into `out`, three numbers each, as many as fit. Returns the
    /// number of points that it has: 0 where no way leads there and the nearest place is not asked
    /// for. Makes no objects. `lastPath` has the rest.
    #[wasm_bindgen(js_name = findPathInto)]
    pub fn find_path_into(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
        out: &Float32Array,
        #[wasm_bindgen(unchecked_optional_param_type = "PathOptions")] options: JsValue,
    ) -> Thrown<usize> {
        let (memory, _) = self.search(start, end, &options)?;
        path::fill_points(&memory.path, out)?;
        Ok(memory.path.points.len())
    }

    /// The path that was found last, as `findPath` returns it.
    #[wasm_bindgen(getter, js_name = lastPath, unchecked_return_type = "Path")]
    pub fn last_path(&self) -> JsValue {
        path::path(&self.memory.borrow().path, None)
    }

    /// The length of the path that was found last, in metres.
    #[wasm_bindgen(getter, js_name = lastLength)]
    pub fn last_length(&self) -> f32 {
        self.memory.borrow().path.length
    }

    /// `true` if the path that was found last leads to its end.
    #[wasm_bindgen(getter, js_name = lastIsComplete)]
    pub fn last_is_complete(&self) -> bool {
        self.memory.borrow().path.outcome == Outcome::Complete
    }

    /// Finds many paths.
    #[wasm_bindgen(js_name = findPaths, unchecked_return_type = "Paths")]
    pub fn find_paths(
        &self,
        starts: &[f32],
        ends: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "PathOptions")] options: JsValue,
    ) -> Thrown<JsValue> {
        let (starts, ends) = (points("starts", starts)?, points("ends", ends)?);
        same_count(["starts", "ends"], [starts.len(), ends.len()])?;
        let asked = self.asked(&options)?;
        Self::check_many(&asked)?;
        let pairs: Vec<[Vec3; 2]> = starts.iter().zip(ends).map(|(&start, &end)| [start, end]).collect();
        let (memory, mut paths) = (&mut *self.memory.borrow_mut(), Vec::new());
        self.mesh.query().options(asked.options).memory(&mut memory.scratch).paths_into(&pairs, &mut paths);
        let paths: Vec<_> = paths.into_iter().map(QueryError::accept_no_path).collect();
        Ok(path::paths(&paths))
    }

    /// Lengths of paths in metres; infinite where there is none or an end is off the mesh.
    pub fn distances(
        &self,
        starts: &[f32],
        ends: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "PathOptions")] options: JsValue,
    ) -> Thrown<Vec<f32>> {
        let (starts, ends) = (points("starts", starts)?, points("ends", ends)?);
        same_count(["starts", "ends"], [starts.len(), ends.len()])?;
        let asked = self.asked(&options)?;
        Self::check_many(&asked)?;
        let memory = &mut *self.memory.borrow_mut();
        let length = |(&from, &to): (&Vec3, &Vec3)| match self.find(from, to, &asked, memory) {
            Ok(()) if memory.path.outcome == Outcome::Complete => memory.path.length,
            _ => f32::INFINITY,
        };
        Ok(starts.iter().zip(ends).map(length).collect())
    }

    /// The places on the mesh that are nearest to positions; NaN where there is none within reach.
    pub fn snap(
        &self,
        #[wasm_bindgen(js_name = positions)] given: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<Vec<f32>> {
        Ok(flat(&self.places(given, &options, |place| place.map_or(Vec3::NAN, |place| place.position))?))
    }

    /// The polygons at positions, -1 where there is none within reach.
    #[wasm_bindgen(js_name = polygonsAt)]
    pub fn polygons_at(
        &self,
        #[wasm_bindgen(js_name = positions)] given: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<Vec<i32>> {
        self.places(given, &options, |place| place.map_or(-1, |place| place.polygon.0.cast_signed()))
    }

    /// The islands at positions, -1 where there is none within reach.
    #[wasm_bindgen(js_name = islandsAt)]
    pub fn islands_at(
        &self,
        #[wasm_bindgen(js_name = positions)] given: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<Vec<i32>> {
        self.places(given, &options, |place| {
            place
                .and_then(|place| self.mesh.island_of(place.polygon))
                .map_or(-1, |island| island.0.cast_signed())
        })
    }

    /// Walks straight ahead until a wall.
    #[wasm_bindgen(unchecked_return_type = "Ray")]
    pub fn raycast(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<JsValue> {
        let (from, to, open) = (point("start", start)?, point("end", end)?, self.open(&options)?);
        let memory = &mut *self.memory.borrow_mut();
        let mut query = self.mesh.query().options(open).memory(&mut memory.scratch);
        let ray = query.ray(from, to).or_throw()?;
        let normal = ray.hit.map_or(JsValue::NULL, |hit| positions(&[hit.normal]));
        let passed: Vec<u32> = query.passed().iter().map(|polygon| polygon.0).collect();
        Ok(object(&[
            ("fraction", ray.fraction.into()),
            ("end", positions(&[ray.end(&self.mesh).position])),
            ("polygons", Uint32Array::from(passed.as_slice()).into()),
            ("normal", normal),
        ]))
    }

    /// The end of a step that slides along walls.
    #[wasm_bindgen(js_name = moveAlong)]
    pub fn move_along(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Point")] start: &[f32],
        #[wasm_bindgen(unchecked_param_type = "Point")] end: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<Vec<f32>> {
        let (from, to, open) = (point("start", start)?, point("end", end)?, self.open(&options)?);
        let scratch = &mut self.memory.borrow_mut().scratch;
        let end = self.mesh.query().options(open).memory(scratch).walk(from, to).or_throw()?;
        Ok(flat(&[end.position]))
    }

    /// The nearest wall within a radius; `null` if there is none.
    #[wasm_bindgen(js_name = nearestWall, unchecked_return_type = "Wall | null")]
    pub fn nearest_wall(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Point")] position: &[f32],
        radius: f32,
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<JsValue> {
        let (from, open) = (point("position", position)?, self.open(&options)?);
        let scratch = &mut self.memory.borrow_mut().scratch;
        let wall = self.mesh.query().options(open).memory(scratch).wall(from, radius).or_throw()?;
        Ok(wall.map_or(JsValue::NULL, |wall| {
            object(&[
                ("distance", wall.distance.into()),
                ("point", positions(&[wall.point])),
                ("normal", positions(&[wall.normal])),
            ])
        }))
    }

    /// Random places on the mesh, each part of it equally likely: 10 million at most. The same seed,
    /// a whole number from 0 to 4294967295, gives the same places.
    pub fn sample(
        &self,
        count: f64,
        seed: f64,
        #[wasm_bindgen(unchecked_optional_param_type = "GroundOptions")] options: JsValue,
    ) -> Thrown<Vec<f32>> {
        let (count, seed) = (whole("count", count, 0..=MAX_SAMPLES)?, whole("seed", seed, 0..=u32::MAX)?);
        let sampler = self.mesh.query().options(self.open(&options)?).sampler();
        let mut random = Random::new(seed.into());
        let mut places = Vec::new();
        for _ in 0..count {
            let place = sampler.sample(&self.mesh, &mut random).or_throw()?;
            let place =
                place.ok_or_else(|| Kind::Query.error("the mesh has no ground, or none that is open"))?;
            places.extend(place.position.to_array());
        }
        Ok(places)
    }
}
