//! `waymesh why`: explains why a place is not walkable, or why no path joins two places.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use glam::Vec3;
use waymesh::fields::Value;
use waymesh::why::{About, Answer, PairAnswer, PlaceAnswer, Remedy};
use waymesh::{Baker, io};

use crate::args::{Settings, WhyArgs, given, text_of};
use crate::build::warn_of_unmatched;
use crate::files;
use crate::values::place_text;

pub(crate) fn run(args: &WhyArgs, json: bool) -> Result<()> {
    let inputs = args.scenes.inputs()?;
    let rules = args.settings.area_rules()?;
    let options = args.settings.space.load_options()?;
    let (soup, names) = io::load_with_names(&inputs.files, &options, &rules.map())?;
    warn_of_unmatched(&rules);
    let baker = Baker::voxels();
    let mut config = args.settings.with_automatic_cells(Some(&soup))?.bake_config(baker.config())?;
    config.jumps = args.jumps.config()?;
    config.keep = args.kept.keep();
    let baker = baker.with_config(config);
    let explainer = baker.explain(&soup)?;
    let answer = explainer.answer(args.at.0, args.to.map(|to| to.0), |triangle| names.name_of(triangle))?;
    let mut out = files::stdout();
    if json {
        return files::write_json(&mut out, &answer);
    }
    let name = |triangle: usize| answer.surfaces.get(&triangle).cloned();
    let remedies = Remedies::of(&args.settings, &answer);
    match &answer.about {
        About::Place(place) => print_place(&mut out, place, &name, &remedies)?,
        About::Pair(pair) => print_pair(&mut out, pair, &name, &remedies)?,
    }
    Ok(())
}

/// Writes remedies as arguments.
struct Remedies {
    /// The cells and levels that remedies were checked with, where none are given: a bake with another
    /// agent or other cells would choose others.
    grid: Vec<(&'static str, String)>,
    is_flipped: bool,
}

impl Remedies {
    fn of(settings: &Settings, answer: &Answer) -> Self {
        let space = &settings.space.given;
        let scale = [("cell_size", answer.cell_size), ("level_height", answer.level_height)];
        // The cells of the agent `recast` do not depend on it.
        let is_chosen = |name| space.text("agent") != Some("recast") && space.text(name).is_none();
        let grid = scale.into_iter().filter(|(name, _)| is_chosen(name));
        let grid = grid.map(|(name, length)| (name, given(name, &Value::from(length)))).collect();
        Self { grid, is_flipped: settings.space.flip }
    }

    /// Returns the arguments of some remedies.
    fn all<'a>(&self, remedies: impl Iterator<Item = &'a Remedy> + Clone) -> String {
        let mut settings = BTreeMap::new();
        // The last value of a setting counts.
        settings.extend(remedies.clone().map(|remedy| (remedy.setting, self.argument(remedy))));
        let settings = settings.into_values().collect::<Vec<_>>().join(" ");
        settings + &self.grid_beside(remedies).map_or(String::new(), |grid| format!(" {grid}"))
    }

    /// Returns the argument of a remedy, the value now, and the cells and levels that belong to it.
    fn one(&self, remedy: &Remedy) -> String {
        let now = match &remedy.from {
            Value::Unset | Value::Entries(_) | Value::List(_) => String::new(),
            _ if remedy.setting == "winding" => String::new(),
            value => format!(" (now {})", text_of(value)),
        };
        let grid = self.grid_beside(std::iter::once(remedy));
        self.argument(remedy) + &now + &grid.map_or(String::new(), |grid| format!(" with {grid}"))
    }

    fn argument(&self, remedy: &Remedy) -> String {
        let argument = given(remedy.setting, &remedy.to);
        match (remedy.setting, &remedy.from) {
            ("winding", _) if self.is_flipped => argument + " instead of --flip",
            ("keep", Value::List(_)) => argument + " instead of --seed",
            _ => argument,
        }
    }

    /// Returns the arguments for the cells and levels that remedies also need.
    fn grid_beside<'a>(&self, remedies: impl Iterator<Item = &'a Remedy> + Clone) -> Option<String> {
        /// Settings on which the cells and levels of the program depend.
        const DECIDE: [&str; 5] = ["agent_radius", "agent_height", "max_step", "max_slope", "cell_size"];
        remedies.clone().find(|remedy| DECIDE.contains(&remedy.setting))?;
        let others = self.grid.iter().filter(|(name, _)| remedies.clone().all(|it| it.setting != *name));
        let others: Vec<&str> = others.map(|(_, argument)| argument.as_str()).collect();
        (!others.is_empty()).then(|| others.join(" "))
    }
}

fn print_place(
    out: &mut impl Write,
    answer: &PlaceAnswer,
    name: &dyn Fn(usize) -> Option<String>,
    remedies: &Remedies,
) -> std::io::Result<()> {
    let place = place_text(answer.place);
    if answer.is_walkable {
        let height =
            answer.height.map_or(String::new(), |height| format!("; the surface is at y = {height:.2}"));
        return writeln!(out, "{place} is walkable{height}");
    }
    writeln!(out, "{place} is not walkable:")?;
    for reason in &answer.reasons {
        writeln!(out, "  - {}", reason.cause.describe(name))?;
        if let Some(remedy) = &reason.remedy {
            writeln!(out, "    {} mends it", remedies.one(remedy))?;
        }
    }
    if answer.is_checked {
        let all = remedies.all(answer.reasons.iter().filter_map(|reason| reason.remedy.as_ref()));
        writeln!(out, "  checked: a bake with {all} has ground there")?;
    } else if answer.reasons.iter().all(|reason| reason.remedy.is_some()) {
        writeln!(out, "  no setting brings ground there")?;
    } else {
        writeln!(out, "  no setting helps against the last cause")?;
    }
    if let Some(nearest) = answer.nearest {
        let away = Vec3::from(nearest).distance(Vec3::from(answer.place));
        writeln!(out, "  the nearest ground is at {}, {away:.2} m away", place_text(nearest))?;
    }
    Ok(())
}

fn print_pair(
    out: &mut impl Write,
    answer: &PairAnswer,
    name: &dyn Fn(usize) -> Option<String>,
    remedies: &Remedies,
) -> std::io::Result<()> {
    for place in [&answer.from, &answer.to].into_iter().filter(|place| !place.is_walkable) {
        print_place(out, place, name, remedies)?;
    }
    if let Some(length) = answer.length {
        return writeln!(out, "a path of {length:.2} m joins the two places");
    }
    let back = if answer.is_one_way { "; one leads back" } else { "" };
    writeln!(
        out,
        "no path leads from {} to {}{back}",
        place_text(answer.from.place),
        place_text(answer.to.place)
    )?;
    if let Some(gap) = answer.gap {
        let (from, to) = (place_text(gap.from), place_text(gap.to));
        writeln!(
            out,
            "  their pieces of ground are nearest at {from} and {to}: {:.2} m apart in plan, {:.2} m of it without ground, {:+.2} m in height",
            gap.distance, gap.without_ground, gap.rise
        )?;
    }
    for way in &answer.ways {
        let remedy = remedies.one(&way.remedy);
        let at = way.at.map_or(String::new(), |at| format!(" by {}", place_text(at)));
        let cause = way.cause.map_or(String::new(), |cause| format!(", where {}", cause.describe(name)));
        writeln!(out, "  - {remedy} joins them over {:.2} m{at}{cause}", way.length)?;
    }
    if answer.ways.is_empty() && answer.gap.is_some() {
        writeln!(out, "  no single setting joins them")?;
    }
    Ok(())
}
