//! `waymesh completions` and `waymesh man`.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::{ManArgs, Program};
use crate::files;

pub(crate) fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Program::command(), "waymesh", &mut script);
    files::write("-".as_ref(), |writer| writer.write_all(&script))
}

/// Writes one page per command to a folder, or the page of the program to standard output.
pub(crate) fn man(args: &ManArgs, json: bool) -> Result<()> {
    let program = Program::command();
    let Some(folder) = &args.output else {
        return files::write("-".as_ref(), |writer| clap_mangen::Man::new(program).render(&mut &mut *writer));
    };
    files::check_folder("--output", folder)?;
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(program, folder)?;
    files::list(std::slice::from_ref(folder), json)
}
