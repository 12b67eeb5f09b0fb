//! The two file formats of navigation meshes.

use std::fmt;
use std::path::Path;

/// First bytes of a `.wmesh` file.
pub(crate) const WMESH_MAGIC: [u8; 8] = *b"WMESH\0\r\n";
/// Version of `.wmesh` files.
pub(crate) const WMESH_VERSION: u32 = 1;
/// First bytes of a packed mesh.
pub(crate) const PACKED_MAGIC: [u8; 8] = *b"WMRUN\0\r\n";
/// Version of packed meshes.
pub(crate) const PACKED_VERSION: u32 = 1;

/// A file format of navigation meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshFormat {
    /// `.wmesh`: small, without anything that can be computed again. To keep and to exchange.
    /// [`NavMesh::to_wmesh`](crate::NavMesh::to_wmesh) documents it byte by byte.
    Exchange,
    /// `.wmrun`: the tables of the mesh as they lie in memory. Larger, opens in milliseconds, tied
    /// to a version of the library. To ship with a program.
    Packed,
}

impl MeshFormat {
    const ALL: [Self; 2] = [Self::Exchange, Self::Packed];

    /// Returns the ending of file names, without the dot.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Exchange => "wmesh",
            Self::Packed => "wmrun",
        }
    }

    /// Returns the version that is written and read.
    #[must_use]
    pub const fn version(self) -> u32 {
        match self {
            Self::Exchange => WMESH_VERSION,
            Self::Packed => PACKED_VERSION,
        }
    }

    /// Returns the format that the name of a file ends in, in any case of letters.
    #[must_use]
    pub fn of_name(file: &Path) -> Option<Self> {
        let ending = file.extension()?;
        Self::ALL.into_iter().find(|format| ending.eq_ignore_ascii_case(format.ending()))
    }

    /// Returns the format that bytes begin with.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.begins(bytes))
    }

    /// `true` if bytes begin as this format does, as far as they go, and there is a byte at all.
    pub(crate) fn begins(self, bytes: &[u8]) -> bool {
        let magic = match self {
            Self::Exchange => WMESH_MAGIC,
            Self::Packed => PACKED_MAGIC,
        };
        let shown = &bytes[..bytes.len().min(magic.len())];
        !shown.is_empty() && magic.starts_with(shown)
    }

    /// Returns what to do about a file of another version.
    pub(crate) fn remedy(self, found: u32) -> &'static str {
        match self {
            _ if found > self.version() => "it needs a newer waymesh",
            Self::Exchange => "bake the level again",
            Self::Packed => "run `waymesh pack` again",
        }
    }
}

impl fmt::Display for MeshFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Exchange => "navigation mesh (.wmesh)",
            Self::Packed => "packed mesh (.wmrun)",
        })
    }
}
