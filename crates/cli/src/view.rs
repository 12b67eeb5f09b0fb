//! `waymesh view`: shows a level or a mesh in a browser, served to this machine alone.

mod page;
mod server;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};

use self::page::Page;
use self::server::Site;
use crate::args::ViewArgs;
use crate::files;
use crate::refusal::Refusal;

/// Bytes of the token in the address: nobody guesses 128 bits.
const TOKEN_BYTES: usize = 16;

/// Serves until the program is ended.
pub(crate) fn run(args: &ViewArgs, json: bool) -> Result<ExitCode> {
    // Checked here, so that the reason is not an empty page in the browser.
    if let Some(file) = &args.file {
        files::check_input(file)?;
        if files::is_standard(file) {
            bail!(Refusal(
                "a browser reads the file again and again, so it cannot be standard input".to_owned(),
            ));
        }
        if !file.metadata()?.is_file() {
            let why = "a browser reads the file again and again; save its content to a file";
            bail!(Refusal(format!("{} is a pipe or a device: {why}", file.display())));
        }
    }
    waymesh::io::LoadOptions::default().with_scale(args.scale).validate()?;
    let winding = if args.two_sided { "two_sided" } else { "as_read" };
    let load = serde_json::json!({ "up": args.up, "scale": args.scale, "winding": winding });
    let page = match &args.page {
        Some(folder) => Page::read(folder)?,
        None => Page::built_in()?,
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("cannot listen on port {}; --port 0 takes one that is free", args.port))?;
    let port = listener.local_addr().context("the server has no address")?.port();
    let site = Site { page, file: args.file.clone(), load, token: token()? };
    let address = format!("http://127.0.0.1:{port}/{}/", site.token);
    let mut out = std::io::stdout().lock();
    if json {
        files::write_json(&mut out, &serde_json::json!({ "address": address }))?;
    } else {
        writeln!(out, "{address}")?;
    }
    out.flush()?;
    drop(out);
    server::serve(listener, site)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a random token. Other users of the machine, who can connect but do not see the address,
/// cannot read the level without it.
fn token() -> Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
