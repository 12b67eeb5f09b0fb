//! Formatting of figures.

/// Formats a share as a percentage, or as a dash if there is nothing to measure.
#[must_use]
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0))
}

/// Formats metres as centimetres, or as a dash if there is nothing to measure.
#[must_use]
pub fn centimetres(metres: Option<f64>) -> String {
    metres.map_or_else(|| "-".to_owned(), |metres| format!("{:.1} cm", metres * 100.0))
}
