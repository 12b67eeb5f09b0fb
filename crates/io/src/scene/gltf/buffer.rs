//! The bytes behind a buffer: binary chunk, data URI or file beside the scene. Read when first
//! asked for.

use std::borrow::Cow;
use std::path::PathBuf;

use gltf::json::Root;

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
    let digits = text.trim_end_matches('=').as_bytes();
    if digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for place in 0..4 {
            let value = match group.get(place) {
                Some(digit @ b'A'..=b'Z') => digit - b'A',
                Some(digit @ b'a'..=b'z') => digit - b'a' + 26,
                Some(digit @ b'0'..=b'9') => digit - b'0' + 52,
                Some(b'+') => 62,
                Some(b'/') => 63,
                Some(_) => return None,
                None => 0,
            };
            bits = bits << 6 | u32::from(value);
        }
        let [_, a, b, c] = bits.to_be_bytes();
        bytes.extend_from_slice(&[a, b, c][..group.len() - 1]);
    }
    Some(bytes)
}

/// A path from a URI: `%20` becomes a blank. What is no valid escape stays as it is.
fn decode_percent(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let escaped = match tail {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escaped {
            Some((high, low)) => {
                bytes.push(high << 4 | low);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
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
