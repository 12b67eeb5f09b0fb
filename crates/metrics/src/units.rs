//! Figures as people read them.

/// A share of 1 as a percentage, a dash where there is nothing to measure.
#[must_use]
pub fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.2} %", share * 100.0))
}

/// Metres in centimetres, a dash where there is nothing to measure.
#[must_use]
pub fn centimetres(metres: Option<f64>) -> String {
    metres.map_or_else(|| "-".to_owned(), |metres| format!("{:.1} cm", metres * 100.0))
}
