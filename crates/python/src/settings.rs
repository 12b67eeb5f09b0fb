//! Settings, shapes and areas from dictionaries, by the names of `waymesh::fields`.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use waymesh::fields::{self, Entries, LOAD, Value};
use waymesh::graph::{AreaCosts, FlagFilter, HeadRoomFilter, LinkChoice};
use waymesh::io::{AreaRules, LoadOptions, load_with};
use waymesh::{AreaId, AreaTable, NavMesh, QueryError};

use crate::errors::{IntoPy, Kind, OrRaise};
use crate::input::{real, wide};

/// Costs per metre, only where they differ.
pub(crate) type MeshCosts = Option<Arc<AreaCosts>>;

/// Polygons that a query may use: those with head room for an agent, and those that a user allows.
/// None where neither is given, which costs queries no time.
pub(crate) type Filter = Option<(Option<HeadRoomFilter>, Option<FlagFilter>)>;

/// Returns the entries of a dictionary.
pub(crate) fn entries_of(entries: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value)>> {
    let entry = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.str()?.to_string();
        // A closed mesh may be the name of a scene file.
        let value = match value.extract::<PathBuf>() {
            Ok(file) if name == "mesh" => {
                Value::from(&load_with(&[file], &LoadOptions::default()).or_raise()?)
            }
            _ => value_of(&value)?,
        };
        Ok((name, value))
    };
    entries.iter().map(entry).collect()
}

/// Reads a dictionary, of which `read` must take every entry.
pub(crate) fn read_entries<T, E: IntoPy>(
    what: &'static str,
    given: Option<&Bound<'_, PyDict>>,
    read: impl FnOnce(&mut Entries<'_>) -> Result<T, E>,
) -> PyResult<T> {
    let given = given.map(entries_of).transpose()?.unwrap_or_default();
    let mut entries = Entries::new(what, &given);
    let found = read(&mut entries).or_raise()?;
    entries.finish().or_raise()?;
    Ok(found)
}

/// Returns a value of Python as one of a setting; what no setting takes becomes its text.
fn value_of(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Unset);
    }
    if let Ok(entries) = value.cast::<PyDict>() {
        return entries_of(entries).map(Value::Entries);
    }
    if let Ok(text) = value.extract::<PathBuf>() {
        return Ok(Value::Text(text.display().to_string()));
    }
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(Value::Flag(flag));
    }
    if value.len().is_ok() {
        return value.try_iter()?.map(|item| value_of(&item?)).collect::<PyResult<_>>().map(Value::List);
    }
    Ok(wide(value).map_or_else(|_| Value::Text(text_of(value)), Value::Number))
}

fn text_of(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "?".to_owned(), |text: Bound<'_, PyString>| text.to_string())
}

/// Returns the rules that give areas to the surfaces of files.
pub(crate) fn area_rules(entries: &mut Entries<'_>) -> PyResult<AreaRules> {
    let rules = entries.take("area_rules").map_or(Some(Vec::new()), Value::to);
    let rules: Vec<String> =
        rules.ok_or_else(|| Kind::Config.error("settings: area_rules is a list of texts"))?;
    AreaRules::parse(&rules).or_raise()
}

/// Returns how scene files are read.
pub(crate) fn load_options(entries: &mut Entries<'_>) -> PyResult<LoadOptions> {
    let mut options = LoadOptions::default();
    entries.apply(LOAD, &mut options).or_raise()?;
    options.validate().or_raise()?;
    Ok(options)
}

/// Returns an area by its number or name; `"blocked"` is 0.
pub(crate) fn area_of(area: &Bound<'_, PyAny>, areas: &AreaTable) -> PyResult<AreaId> {
    fields::area_of(&value_of(area)?, areas).or_raise()
}

/// Names or numbers, and costs.
type Pairs<'py> = Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

fn pairs<'py>(costs: Option<&Bound<'py, PyMapping>>) -> PyResult<Pairs<'py>> {
    costs.map_or_else(|| Ok(Vec::new()), |costs| costs.items()?.extract())
}

/// Returns the filter of an argument `agent_height`.
pub(crate) fn head_room(agent_height: Option<f32>) -> PyResult<Option<HeadRoomFilter>> {
    if let Some(height) = agent_height.filter(|height| !height.is_finite() || *height < 0.0) {
        let message = format!("agent_height is {height}, but must be finite and 0 m or more");
        return Err(Kind::Query.error(message));
    }
    Ok(agent_height.map(HeadRoomFilter::new))
}

/// Returns the costs of a mesh, and those of areas and links over them.
pub(crate) fn mesh_costs(
    mesh: &NavMesh,
    [area_costs, link_costs]: [Option<&Bound<'_, PyMapping>>; 2],
) -> PyResult<MeshCosts> {
    let mut has_costs = mesh.area_table().iter().any(|(_, area)| area.cost.to_bits() != 1.0_f32.to_bits());
    let mut costs = AreaCosts::of_mesh(mesh);
    for (area, cost) in pairs(area_costs)? {
        has_costs = true;
        let area = area_of(&area, mesh.area_table())?;
        let cost = real(&cost).map_err(|_| Kind::Input.error("the cost of an area must be a number"))?;
        if cost.is_nan() || cost < 0.0 {
            return Err(QueryError::BadCost { area, value: cost }).or_raise();
        }
        costs = costs.with(area, cost);
    }
    for (links, cost) in pairs(link_costs)? {
        has_costs = true;
        let name = links.str()?.to_string();
        let links: LinkChoice = name.parse().map_err(|error| Kind::Input.error(error))?;
        let cost = real(&cost).ok().filter(|&cost| cost >= 0.0);
        let cost = cost.ok_or_else(|| {
            Kind::Query.error(format!("the cost of links {name} must be a number, 0 or more"))
        })?;
        costs = costs.with_links(links, cost);
    }
    // Without costs paths are found faster.
    Ok(has_costs.then(|| Arc::new(costs)))
}
