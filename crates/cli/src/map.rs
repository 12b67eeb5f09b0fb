//! `waymesh map`: writes the ground of a mesh as a map of ROS.

use std::path::PathBuf;

use anyhow::{Result, bail};
use waymesh::io::{GroundMap, GroundMapOptions};

use crate::args::MapArgs;
use crate::files::{self, Output};
use crate::refusal::Refusal;

pub(crate) fn run(args: &MapArgs, json: bool) -> Result<()> {
    let name = args.mesh.file_name().unwrap_or(args.mesh.as_os_str());
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(name).with_extension("yaml"));
    if files::is_standard(&output) {
        bail!(Refusal("a map is two files; name one of them with --output".to_owned()));
    }
    let picture = output.with_extension("pgm");
    let outputs = [
        Output { option: "--output", file: &output, endings: &["yaml", "yml"] },
        Output { option: "--output", file: &picture, endings: &[] },
    ];
    files::check_outputs(&outputs, std::slice::from_ref(&args.mesh))?;
    let mut options = GroundMapOptions::default().with_resolution(args.resolution);
    (options.height, options.distance) = (args.height, args.distance);
    let map = GroundMap::new(&files::open_mesh(&args.mesh)?, &options)?;
    files::write(&picture, |writer| map.write_picture(writer))?;
    let name = picture.file_name().unwrap_or_default().to_string_lossy();
    files::write(&output, |writer| writer.write_all(map.description(&name).as_bytes()))?;
    files::list(&[output, picture], json)
}
