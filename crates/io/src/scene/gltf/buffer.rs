//! The bytes behind a buffer: binary chunk, data URI, or regular file in the scene's folder. Read
//! at the first use.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf::json::Root;
use percent_encoding::percent_decode_str;

use super::{Source, quoted};
use crate::files::{read_file, unread};
use crate::{IoError, Place};

pub(super) struct Buffers<'a> {
    pub(super) source: Source<'a>,
    pub(super) root: &'a Root,
    blob: Option<Cow<'a, [u8]>>,
    loaded: Vec<Option<Rc<Cow<'a, [u8]>>>>,
    /// Contents of files. Buffers may share a file.
    files: BTreeMap<PathBuf, Rc<Cow<'a, [u8]>>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(source: Source<'a>, root: &'a Root, blob: Option<Cow<'a, [u8]>>) -> Self {
        Self { source, root, blob, loaded: vec![None; root.buffers.len()], files: BTreeMap::new() }
    }

    /// Bytes of the scene's file and of the files that its buffers name.
    pub(super) fn file_bytes(&self) -> u64 {
        let uris = self.root.buffers.iter().filter_map(|buffer| buffer.uri.as_deref());
        let files: BTreeSet<PathBuf> =
            uris.filter(|uri| !is_data(uri)).filter_map(|uri| self.file(uri, Place::File).ok()).collect();
        let lengths = files.iter().filter_map(|file| Some(file.metadata().ok()?.len()));
        lengths.fold(self.source.bytes.len() as u64, u64::saturating_add)
    }

    /// The bytes of a buffer, `byteLength` of them.
    pub(super) fn bytes(&mut self, index: usize, place: Place) -> Result<&[u8], IoError> {
        let buffer = self.source.get(&self.root.buffers, index, "buffer", place)?;
        let place = Place::Element { kind: "buffer", index };
        if self.loaded[index].is_none() {
            let bytes = match &buffer.uri {
                Some(uri) if is_data(uri) => Rc::new(self.data(uri, place)?.into()),
                Some(uri) => self.read(uri, place)?,
                None if index == 0 => {
                    let blob = self.blob.take();
                    let neither = || self.source.malformed(place, "a URI or a binary chunk", "neither");
                    Rc::new(blob.ok_or_else(neither)?)
                }
                None => return Err(self.source.malformed(place, "a URI", "none")),
            };
            self.loaded[index] = Some(bytes);
        }
        let bytes: &[u8] = self.loaded[index].as_ref().map_or(&[], |bytes| bytes.as_ref());
        usize::try_from(buffer.byte_length.0)
            .ok()
            .and_then(|length| bytes.get(..length))
            .ok_or_else(|| self.source.truncated(place, buffer.byte_length.0, bytes.len() as u64))
    }

    fn data(&self, uri: &str, place: Place) -> Result<Vec<u8>, IoError> {
        let encoded = uri.split_once(";base64,").map(|(_, encoded)| encoded);
        encoded
            .and_then(decode_base64)
            .ok_or_else(|| self.source.malformed(place, "a data URI in base64", quoted(uri.as_bytes())))
    }

    fn read(&mut self, uri: &str, place: Place) -> Result<Rc<Cow<'a, [u8]>>, IoError> {
        let file = self.file(uri, place)?;
        if let Some(known) = self.files.get(&file) {
            return Ok(known.clone());
        }
        let bytes: Rc<Cow<'a, [u8]>> = Rc::new(read_file(&file)?.into());
        self.files.insert(file, bytes.clone());
        Ok(bytes)
    }

    /// The file that a URI names: a regular one in the folder of the scene or below it. Scenes come
    /// from strangers, and a device or pipe may never end.
    fn file(&self, uri: &str, place: Place) -> Result<PathBuf, IoError> {
        if uri.contains("://") {
            return Err(self.source.unsupported(format!("a buffer at {uri}")));
        }
        let folder = self.source.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let file = folder.join(decode_percent(uri));
        let failed = unread(&file);
        let real = file.canonicalize().map_err(&failed)?;
        let is_below = real.starts_with(folder.canonicalize().map_err(&failed)?);
        if !is_below || !real.metadata().map_err(&failed)?.is_file() {
            let expected = "a regular file in the folder of the scene";
            return Err(self.source.malformed(place, expected, quoted(uri.as_bytes())));
        }
        Ok(real)
    }
}

fn is_data(uri: &str) -> bool {
    uri.starts_with("data:")
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
