//! Files of the page, all in memory: no request reaches the file system by a name.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use hyper::body::Bytes;

use crate::refusal::Refusal;

/// Files of `crates/cli/page` at the time of the build, by name: see `build.rs`.
static BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Largest page in bytes. Ours has a few million.
const PAGE_BYTES: u64 = 256 << 20;

const INDEX: &str = "index.html";

/// Files of the page by their addresses, which are relative and have slashes.
#[derive(Debug)]
pub(crate) struct Page(BTreeMap<String, Bytes>);

impl Page {
    /// Returns the page inside of the program.
    pub(crate) fn built_in() -> Result<Self> {
        if BUILT_IN.is_empty() {
            bail!(Refusal(
                "this program was built without the page. In a checkout, with Node 20, \
                 `npm --prefix crates/wasm/viewer run ship && cargo install --path crates/cli` builds it in; --page FOLDER \
                 serves a page from a folder"
                    .to_owned(),
            ));
        }
        Ok(Self(BUILT_IN.iter().map(|&(name, bytes)| (name.to_owned(), Bytes::from_static(bytes))).collect()))
    }

    /// Reads all files of a folder. Links are refused, because they may lead out of it.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        if !folder.join(INDEX).is_file() {
            bail!(Refusal(format!("--page: {} holds no {INDEX}", folder.display())));
        }
        let mut files = BTreeMap::new();
        let mut folders = vec![(folder.to_owned(), String::new())];
        let mut bytes = 0;
        while let Some((folder, prefix)) = folders.pop() {
            for entry in
                std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
            {
                let entry = entry?;
                let path = entry.path();
                let refuse = |why: &str| Err(Refusal(format!("--page: {} {why}", path.display())).into());
                let Ok(name) = entry.file_name().into_string() else {
                    return refuse("has a name that is not UTF-8");
                };
                let name = format!("{prefix}{name}");
                // The type of the entry, not that of the target of a link.
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    folders.push((path, format!("{name}/")));
                } else if kind.is_file() {
                    bytes += entry.metadata()?.len();
                    if bytes > PAGE_BYTES {
                        return refuse(
                            "makes the folder larger than 256 MiB; name the folder of the page alone",
                        );
                    }
                    let content =
                        std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                    files.insert(name, content.into());
                } else {
                    return refuse("is a link or a device; the folder of a page may hold plain files only");
                }
            }
        }
        Ok(Self(files))
    }

    /// Returns a file, and its media type.
    pub(crate) fn file(&self, address: &str) -> Option<(Bytes, &'static str)> {
        let name = if address.is_empty() { INDEX } else { address };
        Some((self.0.get(name)?.clone(), media_type(name)))
    }

    /// Size of the largest file in bytes.
    pub(crate) fn largest(&self) -> u64 {
        self.0.values().map(|bytes| bytes.len() as u64).max().unwrap_or(0)
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
