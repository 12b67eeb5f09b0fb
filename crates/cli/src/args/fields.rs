//! Arguments made from the tables of settings of the library ([`waymesh::fields`]): a new setting
//! is an argument, a key of settings files and a line of the help by itself.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use anyhow::{Context, Result};
use clap::builder::{PossibleValuesParser, ValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use waymesh::bake::{FrontEnd, Refused};
use waymesh::fields::{
    BAKE, Entries, Field, FieldError, FieldKind, JUMPS, LOAD, PLANS, READ, SLICES, STOREYS, Value,
};
use waymesh::floorplan::ReadOptions;
use waymesh::io::LoadOptions;
use waymesh::{Agent, BakeConfig, FloorPlans, JumpConfig, Slices, Storeys};

use crate::refusal::Refusal;

/// Settings of a group that are given, as text, by the names of their arguments.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Given<G> {
    texts: BTreeMap<String, String>,
    #[serde(skip)]
    group: PhantomData<G>,
}

/// Text of an argument that leaves the choice to the program.
const AUTO: &str = "auto";
/// Arguments that the program chooses by the agent and the scene.
const AUTOMATIC: [&str; 2] = ["cell_size", "level_height"];
/// The agent of the program. The library's default is that of RecastDemo.
pub(crate) const AGENT: &str = "person";

/// Settings that are arguments of some commands.
pub(crate) trait Group {
    /// Returns the arguments.
    fn arguments() -> Vec<Arg>;
}

impl<G> Default for Given<G> {
    fn default() -> Self {
        Self { texts: BTreeMap::new(), group: PhantomData }
    }
}

impl<G> Given<G> {
    /// Returns `true` if an argument of a field is given.
    pub(crate) fn has<T>(&self, field: &Field<T>) -> bool {
        field.argument.is_some_and(|argument| self.text(argument).is_some())
    }

    /// Returns the text of an argument, if it is given and not [`AUTO`].
    pub(crate) fn text(&self, argument: &str) -> Option<&str> {
        self.texts.get(argument).map(String::as_str).filter(|text| *text != AUTO)
    }

    /// Sets an argument that is not given.
    pub(crate) fn set_default(&mut self, argument: &str, text: &str) {
        if self.text(argument).is_none() {
            self.texts.insert(argument.to_owned(), text.to_owned());
        }
    }

    /// Sets the fields whose arguments are given.
    pub(crate) fn apply<T>(&self, fields: &[Field<T>], settings: &mut T) -> Result<()> {
        let mut given = Vec::new();
        for field in fields {
            let Some(argument) = field.argument else { continue };
            let Some(text) = self.text(argument) else { continue };
            let value = value(field.kind, text).map_err(anyhow::Error::msg);
            given.push((field.name.to_owned(), value.with_context(|| format!("--{}", long(argument)))?));
        }
        Entries::new("settings", &given).apply(fields, settings).map_err(|error| match error {
            FieldError::Other { reason, .. } => Refusal(reason).into(),
            other => other.into(),
        })
    }
}

impl<G: Group> Args for Given<G> {
    fn augment_args(command: Command) -> Command {
        command.args(G::arguments())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: Group> FromArgMatches for Given<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Self::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for argument in G::arguments() {
            let name = argument.get_id().as_str();
            if let Some(text) = matches.get_one::<String>(name) {
                self.texts.insert(name.to_owned(), text.clone());
            }
        }
        Ok(())
    }
}

/// The grid and the agent, and how scene files become metres.
#[derive(Clone, Debug)]
pub(crate) enum SpaceGroup {}

impl Group for SpaceGroup {
    fn arguments() -> Vec<Arg> {
        let grid = BAKE.iter().filter(|field| is_of_space(field));
        let defaults = LoadOptions::default();
        let files = arguments(LOAD, &defaults, &[]).map(|argument| argument.help_heading("Files"));
        files.chain(of_scenes(grid).map(|argument| argument.help_heading("Agent and grid"))).collect()
    }
}

/// Other settings of the bake of a scene.
#[derive(Clone, Debug)]
pub(crate) enum BakeGroup {}

impl Group for BakeGroup {
    fn arguments() -> Vec<Arg> {
        let fields = BAKE.iter().filter(|field| !is_of_space(field) && !is_of_program(field));
        of_scenes(fields).map(|argument| argument.help_heading("Ground, regions and polygons")).collect()
    }
}

/// The treatment of ground inside of solids, for the merge of tiles that were built with another.
#[derive(Clone, Debug)]
pub(crate) enum EnclosedGroup {}

impl Group for EnclosedGroup {
    fn arguments() -> Vec<Arg> {
        let fields = BAKE.iter().filter(|field| field.name == "enclosed");
        let default = default_of("as the tiles were built with");
        fields.filter_map(|field| argument(field, &[&default])).collect()
    }
}

/// Settings of jumps.
#[derive(Clone, Debug)]
pub(crate) enum JumpGroup {}

impl Group for JumpGroup {
    fn arguments() -> Vec<Arg> {
        let defaults = JumpConfig::default();
        let arguments = arguments(JUMPS, &defaults, &[]);
        arguments.map(|argument| argument.requires("jumps").help_heading("Links")).collect()
    }
}

/// Settings of one pipeline.
#[derive(Clone, Debug)]
pub(crate) enum FrontGroup {}

impl Group for FrontGroup {
    fn arguments() -> Vec<Arg> {
        // Both have tiles, which have a separate argument.
        arguments(SLICES, &Slices::default(), &["Slices only."])
            .chain(arguments(STOREYS, &Storeys::default(), &["Storeys only."]))
            .filter(|argument| argument.get_long() != Some("tile"))
            .map(|argument| argument.help_heading("Other pipelines"))
            .collect()
    }
}

/// Settings of floor plans.
#[derive(Clone, Debug)]
pub(crate) enum PlanGroup {}

impl Group for PlanGroup {
    fn arguments() -> Vec<Arg> {
        let bake = BAKE.iter().filter(|field| !is_of_program(field));
        let defaults = FloorPlans::defaults();
        let bake = bake.filter(|field| !is_refused(field, FloorPlans::REFUSED));
        let bake = bake.filter_map(|field| argument(field, &[&default_of(&text_of(&field.get(&defaults)))]));
        arguments(READ, &ReadOptions::default(), &[])
            .chain(bake)
            .chain(arguments(PLANS, &FloorPlans::default(), &[]))
            .collect()
    }
}

/// Returns `true` for settings with a separate notation in the program: `--seed`, `--jumps`,
/// `--check`.
fn is_of_program(field: &Field<BakeConfig>) -> bool {
    ["keep", "jumps", "validate_stages"].contains(&field.name)
}

fn is_of_space(field: &Field<BakeConfig>) -> bool {
    ["scale", "agent"].iter().any(|part| field.option.starts_with(part))
}

fn is_refused(field: &Field<BakeConfig>, refused: Refused) -> bool {
    refused.iter().any(|(option, _)| *option == field.option)
}

/// Returns the arguments of fields that have one.
fn arguments<'a, T>(
    fields: &'a [Field<T>],
    defaults: &'a T,
    notes: &'a [&'a str],
) -> impl Iterator<Item = Arg> + 'a {
    fields.iter().filter_map(move |field| {
        let default = default_of(&text_of(&field.get(defaults)));
        argument(field, &[notes, &[default.as_str()]].concat())
    })
}

/// Returns the arguments of settings of scenes, with the defaults of all pipelines and those that
/// refuse them.
fn of_scenes<'a>(fields: impl Iterator<Item = &'a Field<BakeConfig>>) -> impl Iterator<Item = Arg> {
    fields.filter_map(|field| {
        let mut all = field.defaults();
        let (library, program) = (field.get(&BakeConfig::default()), field.get(&of_program()));
        // Slices keep the agent of their paper.
        let others = all.iter_mut().filter(|(name, _)| *name != Slices::NAME);
        for own in others.filter_map(|(_, own)| own.as_mut()).filter(|own| **own == library) {
            *own = program.clone();
        }
        if field.argument.is_some_and(|argument| AUTOMATIC.contains(&argument)) {
            all[0].1 = Some(AUTO.into());
        }
        let common = &all[0].1;
        let mut defaults = common.iter().map(text_of).collect::<Vec<_>>();
        let is_other = |own: &Option<Value>| own.is_some() && own != common && *own != Some(Value::Unset);
        let others = all.iter().filter(|(_, own)| is_other(own));
        defaults.extend(others.filter_map(|(name, own)| Some(format!("{name} {}", text_of(own.as_ref()?)))));
        let without: Vec<&str> = all.iter().filter(|(_, own)| own.is_none()).map(|(name, _)| *name).collect();
        let without = without.join(" and ");
        let without = if without.is_empty() { without } else { format!("Not for {without}.") };
        argument(field, &[&without, &default_of(&defaults.join("; "))])
    })
}

/// Returns the library's settings with the agent of the program.
fn of_program() -> BakeConfig {
    let agent = Agent::named(AGENT).unwrap_or_default();
    BakeConfig::default().with_agent(agent)
}

/// Arguments that most people need: `-h` shows no others of the tables, `--help` shows all.
const COMMON: [&str; 14] = [
    "agent",
    "agent_height",
    "agent_radius",
    "cell_size",
    "elevation",
    "enclosed",
    "level_height",
    "max_ledge",
    "max_slope",
    "max_step",
    "min_region",
    "scale",
    "unit",
    "up",
];

/// Returns the argument of a field, if it has one, with notes below what it is for.
fn argument<T>(field: &Field<T>, notes: &[&str]) -> Option<Arg> {
    let name = field.argument?;
    let (value_name, parser): (_, ValueParser) = match field.kind {
        FieldKind::Choice { choices } => {
            ("KIND", PossibleValuesParser::new(choices.iter().map(|word| long(word))).into())
        }
        FieldKind::Flag => ("BOOL", PossibleValuesParser::new(["true", "false"]).into()),
        kind => {
            let is_free = move |text: &str| text == AUTO && AUTOMATIC.contains(&name);
            let check = move |text: &str| {
                if is_free(text) { Ok(Value::Unset) } else { value(kind, text) }.map(|_| text.to_owned())
            };
            (value_name(kind), ValueParser::new(check))
        }
    };
    let help = std::iter::once(field.about).chain(notes.iter().copied()).filter(|note| !note.is_empty());
    let argument = Arg::new(name).long(long(name)).value_name(value_name).value_parser(parser);
    Some(
        argument
            .hide_short_help(!COMMON.contains(&name))
            .allow_hyphen_values(matches!(field.kind, FieldKind::Structure { .. }))
            .help(help.collect::<Vec<_>>().join(" ")),
    )
}

fn value_name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Number { unit: "m", .. } => "METRES",
        FieldKind::Number { unit: "m2", .. } => "AREA",
        FieldKind::Number { unit: "degrees", .. } => "DEGREES",
        FieldKind::Number { unit: "levels", .. } => "LEVELS",
        FieldKind::Number { .. } => "NUMBER",
        FieldKind::Count { .. } => "COUNT",
        FieldKind::Structure { .. } => "NUMBER,..",
        _ => "NAME",
    }
}

/// Returns the name of an argument: words are joined by `-`.
fn long(name: &str) -> String {
    name.replace('_', "-")
}

fn default_of(text: &str) -> String {
    format!("Default: {text}.")
}

/// Returns a setting as it is given on the command line.
pub(crate) fn given(setting: &str, value: &Value) -> String {
    match setting {
        "winding" => "--two-sided".to_owned(),
        "jumps" => "--jumps".to_owned(),
        setting => format!("--{} {}", long(setting), text_of(value)),
    }
}

/// Returns a value as the command line has it.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Unset => "automatic".to_owned(),
        Value::Text(text) => long(text),
        Value::List(values) if values.is_empty() => "none".to_owned(),
        Value::List(values) => values.iter().map(text_of).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Reads the text of an argument.
fn value(kind: FieldKind, text: &str) -> Result<Value, String> {
    let number = |text: &str| text.trim().parse::<f64>().map_err(|error| error.to_string());
    match kind {
        FieldKind::Flag => Ok(Value::from(text == "true")),
        FieldKind::Count { .. } => text.parse::<u32>().map(Value::from).map_err(|error| error.to_string()),
        FieldKind::Choice { .. } => Ok(Value::Text(text.replace('-', "_"))),
        FieldKind::Text => Ok(Value::from(text)),
        FieldKind::Structure { .. } => text
            .split(',')
            .map(|text| number(text).map(Value::from))
            .collect::<Result<_, _>>()
            .map(Value::List),
        _ => number(text).map(Value::from),
    }
}
