//! `waymesh view`: shows a level or a mesh in a browser, served to this machine alone.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::args::ViewArgs;
use crate::errors::Refusal;
use crate::files;

/// Where the page is looked for, besides beside the program.
const VARIABLE: &str = "WAYMESH_VIEWER";
/// Where it is built in a checkout.
const BUILT: &str = "crates/wasm/viewer/dist";
/// Longest head of a request, in bytes. A browser's has a few hundred.
const HEAD_BYTES: u64 = 16 << 10;
/// A browser that says nothing for so long is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the page asks for to know what to open, and the bytes of that file.
const NAME: &str = "waymesh-view.json";
const CONTENT: &str = "waymesh-view.bin";

/// Serves until the program is ended.
pub(crate) fn run(args: &ViewArgs, json: bool) -> Result<ExitCode> {
    let page = Page { folder: page_folder(args.page.as_deref())?, file: args.file.clone() };
    if let Some(file) = &page.file {
        // Not there: told here, not in the browser.
        File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("cannot listen on port {}", args.port))?;
    let port = listener.local_addr().context("the server has no address")?.port();
    let address = format!("http://127.0.0.1:{port}/");
    let mut out = std::io::stdout().lock();
    if json {
        files::write_json(&mut out, &serde_json::json!({ "address": address }))?;
    } else {
        writeln!(out, "{address}")?;
    }
    out.flush()?;
    drop(out);
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { continue };
            let page = &page;
            scope.spawn(move || {
                // The browser went away.
                let _ = answer(stream, page, port);
            });
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// The folder of the built page.
fn page_folder(given: Option<&Path>) -> Result<PathBuf> {
    let is_page = |folder: &Path| folder.join("index.html").is_file();
    if let Some(folder) = given {
        let found = is_page(folder).then(|| folder.to_path_buf());
        return found.ok_or_else(|| Refusal(format!("{} holds no index.html", folder.display())).into());
    }
    let variable = std::env::var_os(VARIABLE).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join("viewer"));
    let found =
        [variable, beside, Some(PathBuf::from(BUILT))].into_iter().flatten().find(|folder| is_page(folder));
    found.ok_or_else(|| {
        Refusal(format!(
            "the page is not built. In a checkout, with Node 20: `npm install` and `node build.mjs` in crates/wasm, then \
             `npm install` and `npm run build` in crates/wasm/viewer. Elsewhere say with --page or {VARIABLE} where its \
             folder is"
        ))
        .into()
    })
}

/// What is served.
#[derive(Debug)]
struct Page {
    folder: PathBuf,
    file: Option<PathBuf>,
}

impl Page {
    /// The name that the page shows, as JSON.
    fn name(&self) -> String {
        let name = self.file.as_deref().and_then(Path::file_name).map(OsStr::to_string_lossy);
        serde_json::json!({ "name": name }).to_string()
    }

    /// The file of an address; `None` for one outside of the folder.
    fn path(&self, address: &str) -> Option<PathBuf> {
        if address == CONTENT {
            return self.file.clone();
        }
        let relative = Path::new(if address.is_empty() { "index.html" } else { address });
        let is_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
        is_inside.then(|| self.folder.join(relative))
    }
}

/// What a browser is told about a file, by its ending.
fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(OsStr::to_str) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

/// The method and the address of a request, and the host that it is for.
fn request(stream: &TcpStream) -> std::io::Result<(String, String, String)> {
    let mut lines = BufReader::new(stream.take(HEAD_BYTES)).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut words = first.split(' ').map(str::to_owned);
    let (method, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut host = String::new();
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            value.trim().clone_into(&mut host);
        }
    }
    Ok((method, address, host))
}

fn answer(mut stream: TcpStream, page: &Page, port: u16) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let (method, address, host) = request(&stream)?;
    let mut head = |status: &str, kind: &str, length: u64| {
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )
    };
    // A page of another host whose name was turned to this machine must not read the file.
    let is_ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host);
    let address = address.strip_prefix('/').filter(|_| is_ours && ["GET", "HEAD"].contains(&method.as_str()));
    let Some(address) = address else { return head("400 Bad Request", "text/plain", 0) };
    let address = address.split(['?', '#']).next().unwrap_or_default();
    if address == NAME {
        let name = page.name();
        head("200 OK", "application/json", name.len() as u64)?;
        return if method == "GET" { stream.write_all(name.as_bytes()) } else { Ok(()) };
    }
    let file = page.path(address).and_then(|path| Some((content_type(&path), File::open(&path).ok()?)));
    let Some((kind, mut file)) = file.filter(|(_, file)| file.metadata().is_ok_and(|data| data.is_file()))
    else {
        return head("404 Not Found", "text/plain", 0);
    };
    head("200 OK", kind, file.metadata()?.len())?;
    if method == "GET" {
        std::io::copy(&mut file, &mut stream)?;
    }
    Ok(())
}
