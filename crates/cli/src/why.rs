//! `waymesh why`: explains why a place is not walkable, or why no path joins two places.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use glam::Vec3;
use waymesh::fields::Value;
use waymesh::why::{About, PairAnswer, PlaceAnswer, Remedy};
use waymesh::{Baker, io};

use crate::args::{WhyArgs, given, text_of};
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
    match &answer.about {
        About::Place(place) => print_place(&mut out, place, &name)?,
        About::Pair(pair) => print_pair(&mut out, pair, &name)?,
    }
    Ok(())
}

/// Returns the value of a setting now, for parentheses.
fn now(remedy: &Remedy) -> String {
    match &remedy.from {
        Value::Unset | Value::Entries(_) => String::new(),
        value => format!(" (now {})", text_of(value)),
    }
}

fn print_place(
    out: &mut impl Write,
    answer: &PlaceAnswer,
    name: &dyn Fn(usize) -> Option<String>,
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
            writeln!(out, "    {}{} mends it", given(remedy.setting, &remedy.to), now(remedy))?;
        }
    }
    if answer.is_checked {
        writeln!(out, "  checked: a bake with {} has ground there", all_given(answer))?;
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

/// Returns all remedies of a place as arguments.
fn all_given(answer: &PlaceAnswer) -> String {
    let remedies = answer.reasons.iter().filter_map(|reason| reason.remedy.as_ref());
    let mut settings = BTreeMap::new();
    // The last value of a setting counts.
    settings.extend(remedies.map(|remedy| (remedy.setting, given(remedy.setting, &remedy.to))));
    settings.into_values().collect::<Vec<_>>().join(" ")
}

fn print_pair(
    out: &mut impl Write,
    answer: &PairAnswer,
    name: &dyn Fn(usize) -> Option<String>,
) -> std::io::Result<()> {
    for place in [&answer.from, &answer.to].into_iter().filter(|place| !place.is_walkable) {
        print_place(out, place, name)?;
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
        let remedy = &way.remedy;
        let at = way.at.map_or(String::new(), |at| format!(" by {}", place_text(at)));
        let cause = way.cause.map_or(String::new(), |cause| format!(", where {}", cause.describe(name)));
        writeln!(
            out,
            "  - {}{} joins them over {:.2} m{at}{cause}",
            given(remedy.setting, &remedy.to),
            now(remedy),
            way.length
        )?;
    }
    if answer.ways.is_empty() && answer.gap.is_some() {
        writeln!(out, "  no single setting joins them")?;
    }
    Ok(())
}
