//! The guide of waymesh: its pages are in `src`, for mdBook. This crate has no code; it makes every
//! Rust program on the pages, and on the front page of the project, a documentation test.

/// Makes the programs of a page tests, whose names begin with that of the page.
#[cfg(doctest)]
macro_rules! pages {
    ($($name:ident: $file:literal;)+) => {
        $(#[doc = include_str!($file)] mod $name {})+
    };
}

#[cfg(doctest)]
pages! {
    project: "../../README.md";
    first_mesh: "src/first-mesh.md";
    settings: "src/settings.md";
    why: "src/why.md";
    queries: "src/queries.md";
    agents: "src/agents.md";
    areas: "src/areas.md";
    links: "src/links.md";
    worlds: "src/worlds.md";
    streaming: "src/streaming.md";
    plans: "src/plans.md";
    crowds: "src/crowds.md";
    judging: "src/judging.md";
    determinism: "src/determinism.md";
    strangers: "src/strangers.md";
    clusters: "src/clusters.md";
    stages: "src/stages.md";
}
