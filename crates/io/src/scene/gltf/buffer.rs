//! The bytes behind a buffer: binary chunk, data URI or file beside the scene. Read when first
//! asked for.

use std::borrow::Cow;
use std::path::PathBuf;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf::json::Root;
use percent_encoding::percent_decode_str;

use super::{Source, get};
use crate::{IoError, Place};

pub(super) struct Buffers<'a> {
    source: Source<'a>,
    root: &'a Root,
    blob: Option<Cow<'a, [u8]>>,
    loaded: Vec<Option<Cow<'a, [u8]>>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(source: Source<'a>, root: &'a Root, blob: Option<Cow<'a, [u8]>>) -> Self {
        Self { source, root, blob, loaded: vec![None; root.buffers.len()] }
    }

    /// The bytes of a buffer, `byteLength` of them.
    pub(super) fn bytes(&mut self, index: usize, place: Place) -> Result<&[u8], IoError> {
        let buffer = get(&self.source, &self.root.buffers, index, "buffer", place)?;
        let place = Place::Element { kind: "buffer", index };
        if self.loaded[index].is_none() {
            let bytes = match &buffer.uri {
                Some(uri) => self.resolve(uri, place)?.into(),
                None if index == 0 => self
                    .blob
                    .take()
                    .ok_or_else(|| self.source.malformed(place, "a URI or a binary chunk", "neither"))?,
                None => return Err(self.source.malformed(place, "a URI", "none")),
            };
            self.loaded[index] = Some(bytes);
        }
        let bytes = self.loaded[index].as_deref().unwrap_or_default();
        usize::try_from(buffer.byte_length.0)
            .ok()
            .and_then(|length| bytes.get(..length))
            .ok_or_else(|| self.source.truncated(place, buffer.byte_length.0, bytes.len() as u64))
    }

    fn resolve(&self, uri: &str, place: Place) -> Result<Vec<u8>, IoError> {
        if let Some(data) = uri.strip_prefix("data:") {
            let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
            return encoded.and_then(decode_base64).ok_or_else(|| {
                self.source.malformed(place, "a data URI in base64", super::super::quoted(uri.as_bytes()))
            });
        }
        if uri.contains("://") {
            return Err(self.source.unsupported(format!("a buffer at {uri}")));
        }
        let mut file: PathBuf = self.source.file.parent().unwrap_or(self.source.file).to_owned();
        file.push(decode_percent(uri));
        std::fs::read(&file).map_err(|source| IoError::Read { file, source })
    }
}

/// Base64 with or without padding (RFC 4648, section 4); `None` for any other character.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, config).decode(text).ok()
}

/// A path from a URI: `%20` becomes a blank. A `%` that begins no valid escape stays.
fn decode_percent(uri: &str) -> String {
    percent_decode_str(uri).decode_utf8().map_or_else(|_| uri.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648_is_decoded_and_other_text_refused() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg", "foob"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decode_base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(decode_base64("+/+/").as_deref(), Some(&[0xfb, 0xff, 0xbf][..]));
        for text in ["A", "Zm9v!", "Zm 9v", "Zg==Zg=="] {
            assert_eq!(decode_base64(text), None, "{text}");
        }
    }

    #[test]
    fn percent_escapes_become_bytes() {
        assert_eq!(decode_percent("my%20level%C3%A9.bin"), "my levelé.bin");
        assert_eq!(decode_percent("100%.bin"), "100%.bin");
        assert_eq!(decode_percent("a%2"), "a%2");
        assert_eq!(decode_percent("%zz"), "%zz");
    }
}
