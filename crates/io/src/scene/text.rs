//! Text in other encodings than UTF-8.

use super::{Source, stl};
use crate::{IoError, Place};

/// The character encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes that the readers take as they are: UTF-8, any other extension of ASCII, or no text.
    Bytes,
    Utf16 {
        big: bool,
    },
    Utf32,
}

impl Encoding {
    /// The encoding of a file of `length` bytes that begins so, from its byte order mark, or from the
    /// zero bytes of its first two characters.
    pub(super) fn of(beginning: &[u8], length: u64) -> Self {
        if stl::stated_length(beginning) == Some(length) {
            return Self::Bytes;
        }
        let is_ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
        match *beginning {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Self::Utf32,
            [0xff, 0xfe, ..] => Self::Utf16 { big: false },
            [0xfe, 0xff, ..] => Self::Utf16 { big: true },
            [first, 0, second, 0, ..] if is_ascii(first) && is_ascii(second) => Self::Utf16 { big: false },
            [0, first, 0, second, ..] if is_ascii(first) && is_ascii(second) => Self::Utf16 { big: true },
            _ => Self::Bytes,
        }
    }

    /// The text in UTF-8. A character that cannot be read becomes U+FFFD, as in names that are not
    /// UTF-8.
    pub(super) fn to_utf8(self, source: &Source<'_>) -> Result<String, IoError> {
        let decode: fn([u8; 2]) -> u16 = match self {
            Self::Utf16 { big: false } => u16::from_le_bytes,
            Self::Utf16 { big: true } => u16::from_be_bytes,
            _ => return Err(source.malformed(Place::File, "text in UTF-8 or UTF-16", "UTF-32")),
        };
        let (units, _) = source.bytes.as_chunks::<2>();
        let characters = char::decode_utf16(units.iter().map(|&unit| decode(unit)));
        Ok(characters.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }
}
