//! Documents of YAML.

use yaml_rust2::parser::{Event, MarkedEventReceiver, Parser};
use yaml_rust2::{Yaml, YamlLoader};

use super::Reader;
use crate::PlanError;

/// Deepest nesting. A building has seven levels.
const MOST_NESTED: usize = 64;

/// Reads the first document. Aliases, with which a short file can be a huge one, are refused.
pub(super) fn load(reader: &Reader<'_>, text: &str) -> Result<Yaml, PlanError> {
    let (mut parser, mut loader) = (Parser::new_from_str(text), YamlLoader::default());
    let mut depth = 0_usize;
    loop {
        let (event, mark) = parser.next_token().map_err(|error| reader.fault(error.to_string()))?;
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            Event::Alias(_) => return Err(reader.fault(format!("line {}: an alias", mark.line()))),
            _ => {}
        }
        if depth > MOST_NESTED {
            let message = format!("line {}: nested {depth} deep, the limit is {MOST_NESTED}", mark.line());
            return Err(reader.fault(message));
        }
        let is_end = matches!(event, Event::StreamEnd | Event::DocumentEnd);
        loader.on_event(event, mark);
        if is_end {
            return loader.documents().first().cloned().ok_or_else(|| reader.fault("no document"));
        }
    }
}

/// Returns a number.
pub(super) fn number(value: &Yaml) -> Option<f64> {
    value.as_f64().or_else(|| value.as_i64().map(|value| value as f64))
}

/// Returns the items of a list; none of what is no list.
pub(super) fn items(value: &Yaml) -> &[Yaml] {
    value.as_vec().map_or(&[], Vec::as_slice)
}
