//! `waymesh diff`: compares two meshes of one scene.

use std::io::Write;

use anyhow::Result;
use waymesh::io::svg::{Marks, PlanMesh};
use waymesh::{NavMesh, io};
use waymesh_metrics::{Change, Difference, DifferenceConfig, JudgedMesh, LinkReport};

use crate::args::DiffArgs;
use crate::files;
use crate::values::place_text;

/// Most patches, pieces and links that are printed of each kind.
const MAX_LINES: usize = 5;

pub(crate) fn run(args: &DiffArgs, json: bool) -> Result<()> {
    files::check_outputs(&args.pictures.outputs()?, &[args.old.clone(), args.new.clone()])?;
    let [old, new] = [files::open_mesh(&args.old)?, files::open_mesh(&args.new)?];
    let mut config = DifferenceConfig::default().with_pairs(args.pairs);
    (config.spacing, config.tolerance) = (args.spacing, args.tolerance);
    let found = Difference::between(&old, &new, &config)?;
    args.pictures.draw(|writer| draw(&new, &found, writer))?;
    let mut out = files::console(args.pictures.files())?;
    if json {
        return files::write_json(&mut out, &found);
    }
    Ok(print(&mut out, &found)?)
}

fn draw(new: &NavMesh, found: &Difference, writer: &mut Vec<u8>) -> std::io::Result<()> {
    let mesh = JudgedMesh::from(new);
    let plan = PlanMesh::new(mesh.vertices(), mesh.polygons(), mesh.neighbours());
    let side = f64::from(found.spacing);
    let legend = |change: &Change, what: &str| format!("{what}: {:.1} m2", change.area);
    let mut gained =
        Marks::surplus(found.gained.samples.clone(), side, legend(&found.gained, "ground gained"));
    gained.on_mesh = true;
    let marks =
        [Marks::missing(found.lost.samples.clone(), side, legend(&found.lost, "ground lost")), gained];
    io::svg::write_marked_svg(&plan, &marks, &io::SvgOptions::default(), writer)
}

/// Prints some of many lines, and the number of the others.
fn print_some<T>(out: &mut impl Write, items: &[T], line: impl Fn(&T) -> String) -> std::io::Result<()> {
    for item in items.iter().take(MAX_LINES) {
        writeln!(out, "  {}", line(item))?;
    }
    let others = items.len().saturating_sub(MAX_LINES);
    if others > 0 { writeln!(out, "  and {others} more") } else { Ok(()) }
}

fn print(out: &mut impl Write, found: &Difference) -> std::io::Result<()> {
    if found.is_empty() {
        return writeln!(
            out,
            "no difference: ground within {} m, links, pieces and {} paths",
            found.tolerance, found.paths.pairs
        );
    }
    for (what, change) in [("lost", &found.lost), ("gained", &found.gained)] {
        let patches = change.patches.len();
        writeln!(out, "ground {what}: {:.2} m2 in {patches} patches", change.area)?;
        print_some(out, &change.patches, |patch| {
            format!("{:.2} m2 at {}", patch.area, place_text(patch.place))
        })?;
    }
    let [old, new] = found.pieces;
    writeln!(out, "pieces of ground: {old} before, {new} now")?;
    let places = |places: &Vec<[f32; 3]>| {
        let shown: Vec<String> = places.iter().take(MAX_LINES).map(|&place| place_text(place)).collect();
        shown.join(" and ")
    };
    print_some(out, &found.joined, |pieces| format!("joined: {}", places(pieces)))?;
    print_some(out, &found.parted, |pieces| format!("parted: {}", places(pieces)))?;
    let link = |link: &LinkReport| {
        format!("{} from {} to {}", link.kind, place_text(link.from), place_text(link.to))
    };
    for (what, links) in [("lost", &found.links_lost), ("gained", &found.links_gained)] {
        if !links.is_empty() {
            writeln!(out, "links {what}: {}", links.len())?;
            print_some(out, links, link)?;
        }
    }
    let paths = &found.paths;
    writeln!(
        out,
        "paths of {} pairs of places: {} broken, {} opened, {} longer, {} shorter",
        paths.pairs, paths.broken, paths.opened, paths.longer, paths.shorter
    )?;
    if let Some(worst) = paths.worst {
        let length =
            |length: Option<f32>| length.map_or_else(|| "none".to_owned(), |length| format!("{length:.2} m"));
        let (from, to) = (place_text(worst.from), place_text(worst.to));
        writeln!(out, "  most from {from} to {to}: {} before, {} now", length(worst.old), length(worst.new))?;
    }
    Ok(())
}
