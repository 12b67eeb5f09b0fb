//! Finished tiles, kept in memory or in a folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::checksum;

use crate::{Tile, TileError};

/// First bytes of a tile file. The last byte is the version of the layout.
const MAGIC: [u8; 8] = *b"WAYTILE\x01";
/// First line of the file that describes the bake of a folder's tiles, with its version.
const MANIFEST_TITLE: &str = "waymesh tiles ";
const MANIFEST_VERSION: &str = "1";
/// Magic, fingerprint, row, column, length of the content, checksum of these fields and the
/// content.
const HEADER: usize = 8 + 8 + 4 + 4 + 8 + 4;

/// The storage of tiles.
#[derive(Debug)]
enum Storage {
    Memory(Mutex<HashMap<Tile, Arc<[u8]>>>),
    Folder { path: PathBuf, fingerprint: u64 },
}

/// A store of the finished content of each tile, as bytes.
///
/// # In a folder
/// There is one file per tile. It is written under another name and renamed when it is complete, so
/// that a killed bake leaves no incomplete tile. Files have the bake's fingerprint and a checksum;
/// a damaged file counts as missing. A text file `bake.txt` holds the fingerprint and a note of the
/// caller.
///
/// # Layout of a tile file, all little-endian
/// | bytes | what |
/// |---|---|
/// | 8 | `WAYTILE` and the version, 1 |
/// | 8 | fingerprint |
/// | 4, 4 | row, column |
/// | 8 | length of the content |
/// | 4 | CRC-32 of everything before and after |
/// | ... | the content |
#[derive(Debug)]
pub struct TileStore {
    place: Storage,
    damaged: AtomicU64,
}

impl TileStore {
    /// Name of the file in a folder that describes the bake of its tiles.
    pub const MANIFEST: &'static str = "bake.txt";

    /// Creates a store that keeps tiles in memory.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(Storage::Memory(Mutex::default()))
    }

    /// Creates a store that keeps tiles in `folder`, which is created if it does not exist. `note`
    /// is kept with them.
    ///
    /// # Errors
    /// [`TileError::OtherBake`] if the folder holds tiles with another fingerprint;
    /// [`TileError::Io`] if it cannot be read or written.
    pub fn in_folder(folder: &Path, fingerprint: u64, note: &str) -> Result<Self, TileError> {
        let failed = |action, path: &Path| {
            let path = path.to_owned();
            move |source| TileError::Io { action, path, source }
        };
        fs::create_dir_all(folder).map_err(failed("create", folder))?;
        match Self::note(folder)? {
            Some((found, _)) if found != fingerprint => {
                Err(TileError::OtherBake { path: folder.to_owned(), expected: fingerprint, found })
            }
            Some(_) => Ok(Self::new(Storage::Folder { path: folder.to_owned(), fingerprint })),
            None => Self::over_folder(folder, fingerprint, note),
        }
    }

    /// Creates a store in an existing folder, whose tiles may be of another bake: see
    /// [`TileStore::adopt`].
    ///
    /// # Errors
    /// [`TileError::Io`] if the folder cannot be written.
    pub fn over_folder(folder: &Path, fingerprint: u64, note: &str) -> Result<Self, TileError> {
        let text = format!("{MANIFEST_TITLE}{MANIFEST_VERSION}\nfingerprint {fingerprint:016x}\n{note}");
        write_whole(&folder.join(Self::MANIFEST), &[text.as_bytes()])?;
        Ok(Self::new(Storage::Folder { path: folder.to_owned(), fingerprint }))
    }

    fn new(place: Storage) -> Self {
        Self { place, damaged: AtomicU64::new(0) }
    }

    /// Reads the fingerprint and note of a folder of tiles; `None` if the folder has no `bake.txt`.
    ///
    /// # Errors
    /// [`TileError::Io`] if `bake.txt` exists but cannot be read or understood;
    /// [`TileError::OtherVersion`] if another version wrote it.
    pub fn note(folder: &Path) -> Result<Option<(u64, String)>, TileError> {
        let text = Self::manifest(folder)?;
        text.map(|text| Self::parse_note(&text, &folder.join(Self::MANIFEST))).transpose()
    }

    /// Reads the text of a folder's `bake.txt`; `None` if it has none.
    ///
    /// # Errors
    /// [`TileError::Io`] if it exists but cannot be read.
    pub fn manifest(folder: &Path) -> Result<Option<String>, TileError> {
        let path = folder.join(Self::MANIFEST);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(TileError::Io { action: "read", path, source }),
        }
    }

    /// Reads fingerprint and note in the text of a `bake.txt` that the caller read, such as from an
    /// archive. `path` names it in errors.
    ///
    /// # Errors
    /// See [`TileStore::note`].
    pub fn parse_note(text: &str, path: &Path) -> Result<(u64, String), TileError> {
        let first = text.lines().next().unwrap_or_default();
        let version = first.strip_prefix(MANIFEST_TITLE);
        if let Some(found) = version.filter(|found| *found != MANIFEST_VERSION) {
            let (found, expected) =
                (format!("tiles of version {found}"), format!("version {MANIFEST_VERSION}"));
            return Err(TileError::OtherVersion { path: path.to_owned(), expected, found });
        }
        let parse = || {
            version?;
            let (_, rest) = text.split_once('\n')?;
            let (line, note) = rest.split_once('\n')?;
            let fingerprint = u64::from_str_radix(line.strip_prefix("fingerprint ")?, 16).ok()?;
            Some((fingerprint, note.to_owned()))
        };
        parse().ok_or_else(|| TileError::Io {
            action: "understand",
            path: path.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidData, "not a list of waymesh tiles"),
        })
    }

    /// Keeps `content` for `tile` and replaces earlier content.
    ///
    /// # Errors
    /// [`TileError::Io`] if the file cannot be written.
    pub fn put(&self, tile: Tile, content: Vec<u8>) -> Result<(), TileError> {
        match &self.place {
            Storage::Memory(kept) => {
                kept.lock().unwrap_or_else(PoisonError::into_inner).insert(tile, content.into());
                Ok(())
            }
            Storage::Folder { path, fingerprint } => {
                let header = header(tile, *fingerprint, &content);
                write_whole(&path.join(tile.file_name()), &[&header, &content])
            }
        }
    }

    /// Returns an error if `tile` has a file that this bake must not use.
    ///
    /// # Errors
    /// [`TileError::OtherVersion`] or [`TileError::OtherBake`] for an intact file that this bake
    /// cannot use; none for a tile that is missing or damaged.
    pub fn refuse_foreign(&self, tile: Tile) -> Result<(), TileError> {
        match self.fetch(tile) {
            Err(error @ (TileError::OtherVersion { .. } | TileError::OtherBake { .. })) => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the bytes that were kept for `tile`; `None` if they are missing. Damage is an error
    /// here, for callers that do not build missing tiles.
    ///
    /// # Errors
    /// See [`tile_from_bytes`]; [`TileError::Io`] if the file exists but cannot be read.
    pub fn fetch(&self, tile: Tile) -> Result<Option<Arc<[u8]>>, TileError> {
        let (path, fingerprint) = match &self.place {
            Storage::Memory(kept) => {
                let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                return Ok(kept.get(&tile).cloned());
            }
            Storage::Folder { path, fingerprint } => (path.join(tile.file_name()), *fingerprint),
        };
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        let (found, content) = tile_from_bytes(&bytes, fingerprint, &path)?;
        if found != tile {
            return Err(TileError::other_tile(&path));
        }
        Ok(Some(content.into()))
    }

    /// Returns the bytes that were kept for `tile`; `None` if they are missing or damaged.
    ///
    /// # Errors
    /// Returns an error if a file exists but cannot be read.
    pub fn get(&self, tile: Tile) -> Result<Option<Arc<[u8]>>, TileError> {
        match self.fetch(tile) {
            Err(error @ TileError::Io { .. }) => Err(error),
            Err(_) => {
                self.damaged.fetch_add(1, Ordering::Relaxed);
                Ok(None)
            }
            content => content,
        }
    }

    /// Returns what `accept` makes of the bytes that any bake kept for `tile`; they are of this bake
    /// then. `None` if it refuses them, and if they are missing or damaged.
    ///
    /// # Errors
    /// [`TileError::Io`] if the file cannot be read or written.
    pub fn adopt<T>(
        &self,
        tile: Tile,
        accept: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, TileError> {
        let Storage::Folder { path, fingerprint } = &self.place else {
            return Ok(self.get(tile)?.and_then(|content| accept(&content)));
        };
        let path = path.join(tile.file_name());
        let Some(bytes) = read_if_there(&path)? else { return Ok(None) };
        let Ok((found, of, content)) = parse_tile(&bytes, &path) else { return Ok(None) };
        let Some(accepted) = Some(content).filter(|_| found == tile).and_then(accept) else {
            return Ok(None);
        };
        if of != *fingerprint {
            // A torn write leaves a damaged tile, which is built again.
            let write = || {
                let mut file = fs::OpenOptions::new().write(true).open(&path)?;
                std::io::Write::write_all(&mut file, &header(tile, *fingerprint, content))
            };
            write().map_err(|source| TileError::Io { action: "write", path: path.clone(), source })?;
        }
        Ok(Some(accepted))
    }

    /// Returns the file of `tile`; `None` if tiles are kept in memory.
    #[must_use]
    pub fn file(&self, tile: Tile) -> Option<PathBuf> {
        match &self.place {
            Storage::Memory(_) => None,
            Storage::Folder { path, .. } => Some(path.join(tile.file_name())),
        }
    }

    /// Returns the content of a file of the folder that is no tile. `None` in memory, and if it is
    /// absent, damaged or cannot be read.
    #[must_use]
    pub fn read_aside(&self, name: &str) -> Option<Vec<u8>> {
        let Storage::Folder { path, .. } = &self.place else { return None };
        let bytes = fs::read(path.join(name)).ok()?;
        let (stored, content) = bytes.split_first_chunk()?;
        (u32::from_le_bytes(*stored) == checksum(&[content])).then(|| content.to_vec())
    }

    /// Writes a file of the folder that is no tile, for [`TileStore::read_aside`]. In memory nothing
    /// is kept.
    ///
    /// # Errors
    /// [`TileError::Io`] if the file cannot be written.
    pub fn write_aside(&self, name: &str, content: &[u8]) -> Result<(), TileError> {
        let Storage::Folder { path, .. } = &self.place else { return Ok(()) };
        write_whole(&path.join(name), &[&checksum(&[content]).to_le_bytes(), content])
    }

    /// Returns `true` if tiles are kept in a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self.place, Storage::Folder { .. })
    }

    /// Returns the error of a required tile that is missing or damaged.
    #[must_use]
    pub fn missing(&self, tile: Tile) -> TileError {
        let folder = match &self.place {
            Storage::Memory(_) => None,
            Storage::Folder { path, .. } => Some(path.clone()),
        };
        TileError::MissingTile { tile, folder }
    }

    /// Returns the number of files found damaged so far.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged.load(Ordering::Relaxed)
    }
}

/// Reads a file; `None` if there is none.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, TileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(TileError::Io { action: "read", path: path.to_owned(), source }),
    }
}

/// Returns the file of a tile as bytes, with the layout that [`TileStore`] has in a folder.
#[must_use]
pub fn tile_to_bytes(tile: Tile, fingerprint: u64, content: &[u8]) -> Vec<u8> {
    let mut bytes = header(tile, fingerprint, content);
    bytes.extend_from_slice(content);
    bytes
}

/// Returns the tile and the content of a tile's file. `path` is the name of the bytes in errors.
///
/// # Errors
/// [`TileError::Damaged`] for bytes that are not the whole file of a tile,
/// [`TileError::OtherVersion`] and [`TileError::OtherBake`] for an intact file of another version
/// or with another fingerprint.
pub fn tile_from_bytes<'a>(
    bytes: &'a [u8],
    fingerprint: u64,
    path: &Path,
) -> Result<(Tile, &'a [u8]), TileError> {
    let (tile, found, content) = parse_tile(bytes, path)?;
    if found != fingerprint {
        return Err(TileError::OtherBake { path: path.to_owned(), expected: fingerprint, found });
    }
    Ok((tile, content))
}

/// Returns the tile, the fingerprint and the content of a tile's file.
fn parse_tile<'a>(bytes: &'a [u8], path: &Path) -> Result<(Tile, u64, &'a [u8]), TileError> {
    let damaged = |what| TileError::Damaged { path: path.to_owned(), what };
    let ([name @ .., version], magic) = (MAGIC, bytes.get(..MAGIC.len()).unwrap_or_default());
    if !magic.starts_with(&name) {
        return Err(damaged("it is no tile"));
    }
    if magic[name.len()] != version {
        let say = |version: u8| format!("tiles of layout {version}");
        let (expected, found) = (say(version), say(magic[name.len()]));
        return Err(TileError::OtherVersion { path: path.to_owned(), expected, found });
    }
    let (head, content) = bytes.split_at_checked(HEADER).ok_or_else(|| damaged("it ends too early"))?;
    let mut from = Reader::new(&head[MAGIC.len()..]);
    let (found, [row, column]) = (from.or_zero(), from.or_zero());
    let tile = Tile { row, column };
    if head != header(tile, found, content).as_slice() {
        return Err(damaged("its length or its checksum is wrong"));
    }
    Ok((tile, found, content))
}

fn header(tile: Tile, fingerprint: u64, content: &[u8]) -> Vec<u8> {
    let mut header = Writer(Vec::with_capacity(HEADER));
    header.put(MAGIC);
    header.put(fingerprint);
    header.put([tile.row, tile.column]);
    header.put(content.len() as u64);
    header.put(checksum(&[&header.0, content]));
    header.0
}

/// Writes a file so that it is either complete or absent.
fn write_whole(path: &Path, parts: &[&[u8]]) -> Result<(), TileError> {
    let failed = |source| TileError::Io { action: "write", path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    for part in parts {
        std::io::Write::write_all(&mut file, part).map_err(failed)?;
    }
    // A name must not survive a power cut without its content.
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
