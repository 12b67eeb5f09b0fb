//! Settings that change an answer.

use serde::Serialize;

use crate::bake::{BakeConfig, BakeError};
use crate::fields::{BAKE, Entries, Value};

/// A setting with which a place is walkable, or two places are joined.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Remedy {
    /// Name of the setting, as in [`crate::fields::BAKE`] and [`crate::fields::LOAD`].
    pub setting: &'static str,
    /// Its value now.
    pub from: Value,
    /// The value that helps: of numbers the nearest one that does, to the step of the search.
    pub to: Value,
}

impl Remedy {
    /// Makes a remedy of a setting that differs between two configurations.
    pub(super) fn between(setting: &'static str, old: &BakeConfig, new: &BakeConfig) -> Self {
        let value = |config| {
            BAKE.iter().find(|field| field.name == setting).map_or(Value::Unset, |field| field.get(config))
        };
        Self { setting, from: value(old), to: value(new) }
    }

    /// Returns by how much a number changes, as a ratio; `None` for other values.
    pub(super) fn change(&self) -> Option<f64> {
        let (Value::Number(from), Value::Number(to)) = (&self.from, &self.to) else { return None };
        Some((to - from).abs() / from.abs().max(0.01))
    }
}

/// Returns the configuration with one setting changed.
pub(super) fn with(config: &BakeConfig, setting: &str, value: impl Into<Value>) -> BakeConfig {
    let (given, mut config) = ([(setting.to_owned(), value.into())], config.clone());
    let applied = Entries::new("remedy", &given).apply(BAKE, &mut config);
    debug_assert!(applied.is_ok(), "{setting}: {applied:?}");
    config
}

/// Returns values of a setting from the mildest change to the strongest, `step` apart.
pub(super) fn values(setting: &str, config: &BakeConfig, step: f64) -> Vec<f64> {
    let agent = &config.agent;
    let up = |from: f32, most: f64| -> Vec<f64> {
        let first = (f64::from(from) / step + 1e-4).floor() + 1.0;
        counted(first, step, |value| value <= most)
    };
    let down = |from: f32, least: f64| -> Vec<f64> {
        let first = (f64::from(from) / step - 1e-4).ceil() - 1.0;
        counted(-first, -step, |value| value >= least)
    };
    match setting {
        "agent_radius" => down(agent.radius, 0.0),
        "agent_height" => down(agent.height, (0.1_f64).max(step)),
        "max_step" => up(agent.max_step, agent.height.into()),
        "max_slope" => up(agent.max_slope.to_degrees(), 89.0),
        "max_ledge" => up(config.max_ledge.max(agent.max_step), 3.0),
        "cell_size" => finer(config.scale.cell_size.into()),
        _ => Vec::new(),
    }
}

/// Returns multiples of a step, rounded to the decimals of a setting, while they are allowed.
fn counted(first: f64, step: f64, is_allowed: impl Fn(f64) -> bool) -> Vec<f64> {
    const DECIMALS: f64 = 1e4;
    let number = |count: u32| ((first + f64::from(count)) * step * DECIMALS).round() / DECIMALS;
    (0..).map(number).take_while(|&value| is_allowed(value)).collect()
}

/// Returns smaller cells, down to an eighth and to 2 cm.
fn finer(cell_size: f64) -> Vec<f64> {
    let round = |value: f64| (value * 1e3).round() / 1e3;
    let sizes = [1.5, 2.0, 3.0, 4.0, 6.0, 8.0].map(|parts| round(cell_size / parts));
    sizes.into_iter().filter(|&size| size >= 0.02).collect()
}

/// Returns the result of the first of some values that works. If the last one does not, none does.
///
/// # Errors
/// Errors of `works`.
pub(super) fn first_that_works<T>(
    values: &[f64],
    mut works: impl FnMut(f64) -> Result<Option<T>, BakeError>,
) -> Result<Option<T>, BakeError> {
    let Some(&last) = values.last() else { return Ok(None) };
    let Some(mut found) = works(last)? else { return Ok(None) };
    let (mut low, mut high) = (0, values.len() - 1);
    while low < high {
        let middle = usize::midpoint(low, high);
        if let Some(milder) = works(values[middle])? {
            (found, high) = (milder, middle);
        } else {
            low = middle + 1;
        }
    }
    Ok(Some(found))
}
