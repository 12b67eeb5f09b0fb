//! The guide of waymesh: its pages are in `src`, for mdBook. This crate has no code; it makes every
//! Rust program on the pages a documentation test.

/// Makes the programs of a page tests, whose names begin with that of the page.
#[cfg(doctest)]
macro_rules! pages {
    ($($name:ident: $file:literal;)+) => {
        $(#[doc = include_str!($file)] mod $name {})+
    };
}

#[cfg(doctest)]
pages! {
    settings: "src/settings.md";
    crowds: "src/crowds.md";
    clusters: "src/clusters.md";
}
