//! Settings from a dictionary. Names and defaults are those of `BakeConfig` and of the front ends,
//! with the fields of the agent and the grid beside them, and slopes in degrees.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use glam::{Vec2, Vec3};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use waymesh::floorplan::{Join, ReadOptions};
use waymesh::io::{AreaRules, LoadOptions, UpAxis, load_with};
use waymesh::voxel::{ClosedMesh, Mark, MarkShape};
use waymesh::{
    Area, AreaId, AreaTable, BakeConfig, Bounds, CornerChoice, DecompositionKind, Enclosed, FloorPlans,
    JumpConfig, Keep, PartitionKind, Slices, Storeys, Tiles,
};

use crate::bake::soup as soup_of;
use crate::errors::{Kind, OrRaise};

/// A dictionary of which every entry must be used.
pub(crate) struct Settings<'py> {
    entries: Bound<'py, PyDict>,
    what: &'static str,
    used: RefCell<BTreeSet<&'static str>>,
}

impl<'py> Settings<'py> {
    pub(crate) fn new(entries: &Bound<'py, PyDict>, what: &'static str) -> Self {
        Self { entries: entries.clone(), what, used: RefCell::default() }
    }

    pub(crate) fn get(&self, name: &'static str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.used.borrow_mut().insert(name);
        Ok(self.entries.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// Sets a field if its name is there.
    fn set<T>(&self, name: &'static str, field: &mut T) -> PyResult<()>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        if let Some(value) = self.get(name)? {
            *field = value.extract().map_err(|_| self.bad(name, &value))?;
        }
        Ok(())
    }

    fn bad(&self, name: &str, value: &Bound<'py, PyAny>) -> PyErr {
        let text = value.repr().map_or_else(|_| "?".to_owned(), |text| text.to_string());
        Kind::Config.error(format!("{}: {name} cannot be {text}", self.what))
    }

    /// Sets a field to one of a few choices.
    fn choose<T: Copy>(&self, name: &'static str, field: &mut T, choices: &[(&str, T)]) -> PyResult<()> {
        let Some(value) = self.get(name)? else { return Ok(()) };
        let found = value.extract::<String>().ok();
        match choices.iter().find(|(choice, _)| found.as_deref() == Some(choice)) {
            Some((_, choice)) => *field = *choice,
            None => {
                let names: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
                let value = value.repr()?;
                let text =
                    format!("{}: {name} is {value}, but must be one of {}", self.what, names.join(", "));
                return Err(Kind::Config.error(text));
            }
        }
        Ok(())
    }

    /// Refuses entries that nobody asked for.
    pub(crate) fn finish(&self) -> PyResult<()> {
        let used = self.used.borrow();
        for name in self.entries.keys() {
            let name: String = name.cast::<PyString>().map_or_else(|_| "?".into(), |name| name.to_string());
            let is_unset = self.entries.get_item(&name)?.is_some_and(|value| value.is_none());
            if !used.contains(name.as_str()) && !is_unset {
                return Err(Kind::Config.error(format!("{}: there is no setting {name:?} here", self.what)));
            }
        }
        Ok(())
    }

    /// The settings of every bake, over a front end's defaults.
    pub(crate) fn bake_config(&self, defaults: &BakeConfig, rules: &AreaTable) -> PyResult<BakeConfig> {
        let mut config = defaults.clone().with_areas(rules.clone());
        self.set("cell_size", &mut config.scale.cell_size)?;
        self.set("level_height", &mut config.scale.level_height)?;
        self.set("agent_height", &mut config.agent.height)?;
        self.set("agent_radius", &mut config.agent.radius)?;
        self.set("max_step", &mut config.agent.max_step)?;
        if let Some(degrees) = self.get("max_slope")? {
            let degrees: f32 = degrees.extract().map_err(|_| self.bad("max_slope", &degrees))?;
            config.agent.max_slope = degrees.to_radians();
        }
        self.set("max_ledge", &mut config.max_ledge)?;
        if let Some(error) = self.get("max_edge_error")? {
            config.max_edge_error = Some(error.extract().map_err(|_| self.bad("max_edge_error", &error))?);
        }
        self.set("max_edge_length", &mut config.max_edge_length)?;
        self.set("max_seam_error", &mut config.max_seam_error)?;
        self.set("min_region", &mut config.min_region)?;
        self.set("merge_region", &mut config.merge_region)?;
        self.set("max_vertices", &mut config.max_vertices)?;
        self.set("max_height_error_levels", &mut config.max_height_error_levels)?;
        self.set("height_detail", &mut config.height_detail)?;
        self.set("threads", &mut config.threads)?;
        self.set("max_memory_bytes", &mut config.max_memory_bytes)?;
        self.set("validate_stages", &mut config.validate_stages)?;
        self.choose(
            "corners",
            &mut config.corners,
            &[
                ("farthest", CornerChoice::Farthest),
                ("fewest_notches", CornerChoice::FewestNotches),
                ("by_width", CornerChoice::ByWidth),
            ],
        )?;
        self.choose(
            "partition",
            &mut config.partition,
            &[
                ("surfaces", PartitionKind::Surfaces),
                ("watershed", PartitionKind::Watershed),
                ("monotone", PartitionKind::Monotone),
            ],
        )?;
        self.choose(
            "decomposition",
            &mut config.decomposition,
            &[
                ("notch_portals", DecompositionKind::NotchPortals),
                ("greedy", DecompositionKind::Greedy),
                ("hertel_mehlhorn", DecompositionKind::HertelMehlhorn),
            ],
        )?;
        self.choose(
            "enclosed",
            &mut config.enclosed,
            &[("keep", Enclosed::Keep), ("remove", Enclosed::Remove)],
        )?;
        if let Some(keep) = self.get("keep")? {
            config.keep = self.keep(&keep)?;
        }
        if let Some(areas) = self.get("areas")? {
            self.add_areas(&areas, &mut config.areas)?;
        }
        if let Some(marks) = self.get("marks")? {
            let marks: Vec<Bound<'py, PyDict>> = marks.extract().map_err(|_| self.bad("marks", &marks))?;
            config.marks = marks.iter().map(|mark| mark_of(mark, &config.areas)).collect::<PyResult<_>>()?;
        }
        if let Some(jumps) = self.get("jumps")? {
            let entries: Bound<'py, PyDict> = jumps.extract().map_err(|_| self.bad("jumps", &jumps))?;
            let (entries, mut jumps) = (Settings::new(&entries, "jumps"), JumpConfig::default());
            entries.set("max_length", &mut jumps.max_length)?;
            entries.set("max_rise", &mut jumps.max_rise)?;
            entries.set("arc_height", &mut jumps.arc_height)?;
            entries.set("max_drop", &mut jumps.max_drop)?;
            entries.set("max_drop_length", &mut jumps.max_drop_length)?;
            entries.set("spacing", &mut jumps.spacing)?;
            entries.set("min_detour", &mut jumps.min_detour)?;
            entries.finish()?;
            config.jumps = Some(jumps);
        }
        Ok(config)
    }

    fn keep(&self, keep: &Bound<'py, PyAny>) -> PyResult<Keep> {
        match keep.extract::<String>().as_deref() {
            Ok("all") => return Ok(Keep::All),
            Ok("largest") => return Ok(Keep::Largest),
            _ => {}
        }
        if let Ok(area) = keep.extract::<f32>() {
            return Ok(Keep::LargerThan(area));
        }
        let seeds: Vec<[f32; 3]> = keep.extract().map_err(|_| self.bad("keep", keep))?;
        Ok(Keep::ConnectedTo(seeds.into_iter().map(Vec3::from).collect()))
    }

    fn add_areas(&self, areas: &Bound<'py, PyAny>, table: &mut AreaTable) -> PyResult<()> {
        let entries: Bound<'py, PyDict> = areas.extract().map_err(|_| self.bad("areas", areas))?;
        for (id, area) in &entries {
            let id: u8 = id.extract().map_err(|_| self.bad("areas", areas))?;
            let entries: Bound<'py, PyDict> = area.extract().map_err(|_| self.bad("areas", areas))?;
            let entries = Settings::new(&entries, "area");
            let mut name = String::new();
            entries.set("name", &mut name)?;
            let mut area = Area::new(name);
            entries.set("cost", &mut area.cost)?;
            if let Some(colour) = entries.get("colour")? {
                area.colour = Some(colour.extract().map_err(|_| entries.bad("colour", &colour))?);
            }
            entries.finish()?;
            table.insert(AreaId(id), area).map_err(|error| Kind::Config.error(error))?;
        }
        Ok(())
    }

    /// The rules that give areas to the surfaces of files.
    pub(crate) fn area_rules(&self) -> PyResult<AreaRules> {
        let mut rules: Vec<String> = Vec::new();
        self.set("area_rules", &mut rules)?;
        AreaRules::parse(&rules).or_raise()
    }

    pub(crate) fn tiles(&self) -> PyResult<Tiles> {
        let mut front = Tiles::default();
        self.set("tile_cells", &mut front.tile_cells)?;
        for (name, folder) in [("folder", &mut front.folder), ("spill_folder", &mut front.spill_folder)] {
            if let Some(path) = self.get(name)? {
                *folder = Some(path.extract::<PathBuf>().map_err(|_| self.bad(name, &path))?);
            }
        }
        Ok(front)
    }

    pub(crate) fn storeys(&self) -> PyResult<Storeys> {
        let mut front = Storeys::default();
        self.set("tile_cells", &mut front.tile_cells)?;
        self.set("rough_cells", &mut front.rough_cells)?;
        Ok(front)
    }

    pub(crate) fn slices(&self) -> PyResult<Slices> {
        let mut front = Slices::default();
        self.set("tile_cells", &mut front.tile_cells)?;
        self.set("link_reach", &mut front.link_reach)?;
        self.set("steep_blocks", &mut front.steep_blocks)?;
        Ok(front)
    }

    pub(crate) fn plans(&self) -> PyResult<FloorPlans> {
        let mut front = FloorPlans::default();
        let mut limit = 2.0;
        self.set("miter_limit", &mut limit)?;
        self.choose(
            "join",
            &mut front.join,
            &[("square", Join::Square), ("round", Join::Round), ("miter", Join::Miter { limit })],
        )?;
        self.set("arc_error", &mut front.arc_error)?;
        self.set("shrink_walkable", &mut front.shrink_walkable)?;
        self.set("near_distance", &mut front.near_distance)?;
        self.set("link_reach", &mut front.link_reach)?;
        self.set("close_distance", &mut front.close_distance)?;
        self.set("merge_distance", &mut front.merge_distance)?;
        self.set("steiner_grid", &mut front.steiner_grid)?;
        Ok(front)
    }

    pub(crate) fn read_options(&self) -> PyResult<ReadOptions> {
        let mut options = ReadOptions::default();
        self.set("scale", &mut options.scale)?;
        self.set("wall_width", &mut options.wall_width)?;
        self.set("storey", &mut options.storey)?;
        self.set("elevation", &mut options.elevation)?;
        Ok(options)
    }

    pub(crate) fn load_options(&self) -> PyResult<LoadOptions> {
        let mut options = LoadOptions::default();
        self.choose("up", &mut options.up, &[("y", UpAxis::Y), ("z", UpAxis::Z)])?;
        self.set("scale", &mut options.scale)?;
        options.validate().or_raise()?;
        Ok(options)
    }
}

/// A shape from a dictionary with one of `box`, `cylinder`, `prism` and `mesh`.
pub(crate) fn shape_of(entries: &Settings<'_>) -> PyResult<MarkShape> {
    let bad = |name| move |_: PyErr| Kind::Config.error(format!("the {name} of a shape is malformed"));
    if let Some(cuboid) = entries.get("box")? {
        let [min, max]: [[f32; 3]; 2] = cuboid.extract().map_err(bad("box"))?;
        return Ok(MarkShape::Box { bounds: Bounds { min: Vec3::from(min), max: Vec3::from(max) } });
    }
    if let Some(cylinder) = entries.get("cylinder")? {
        let (base, radius, height): ([f32; 3], f32, f32) = cylinder.extract().map_err(bad("cylinder"))?;
        return Ok(MarkShape::Cylinder { base: Vec3::from(base), radius, height });
    }
    if let Some(prism) = entries.get("prism")? {
        let (corners, heights): (Vec<[f32; 2]>, [f32; 2]) = prism.extract().map_err(bad("prism"))?;
        return Ok(MarkShape::Prism { corners: corners.into_iter().map(Vec2::from).collect(), heights });
    }
    if let Some(mesh) = entries.get("mesh")? {
        return Ok(MarkShape::Mesh { mesh: closed_mesh(&mesh)? });
    }
    Err(Kind::Config.error("give a shape one of box, cylinder, prism and mesh"))
}

/// A closed mesh: corners and triangles, or the name of a scene file.
fn closed_mesh(mesh: &Bound<'_, PyAny>) -> PyResult<ClosedMesh> {
    let soup = if let Ok(file) = mesh.extract::<PathBuf>() {
        load_with(&[file], &LoadOptions::default()).or_raise()?
    } else {
        let bad = |_| {
            Kind::Config.error("the mesh of a shape is malformed: give vertices and triangles, or a file")
        };
        let (vertices, triangles): (Bound<'_, PyAny>, Bound<'_, PyAny>) = mesh.extract().map_err(bad)?;
        soup_of(&vertices, &triangles, None)?
    };
    ClosedMesh::new(&soup).map_err(|error| Kind::Config.error(format!("the mesh of a shape: {error}")))
}

/// A mark from a dictionary: a shape, and the name or number of its area.
pub(crate) fn mark_of(entries: &Bound<'_, PyDict>, areas: &AreaTable) -> PyResult<Mark> {
    let entries = Settings::new(entries, "mark");
    let shape = shape_of(&entries)?;
    let area = match entries.get("area")? {
        Some(area) => area_of(&area, areas)?,
        None => return Err(Kind::Config.error("mark: it needs an area")),
    };
    entries.finish()?;
    Ok(Mark::new(shape, area))
}

/// An area by its number or name; `"blocked"` is 0.
pub(crate) fn area_of(area: &Bound<'_, PyAny>, areas: &AreaTable) -> PyResult<AreaId> {
    if let Ok(number) = area.extract::<u8>() {
        return Ok(AreaId(number));
    }
    let name: String = area.extract().map_err(|_| Kind::Config.error("an area is a number or a name"))?;
    match name.as_str() {
        "blocked" => Ok(AreaId::NULL),
        _ => {
            areas.by_name(&name).ok_or_else(|| Kind::Config.error(format!("there is no area named {name:?}")))
        }
    }
}
