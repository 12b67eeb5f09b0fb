//! `waymesh diff` as a user runs it: what is known to change is found, and nothing else.

use crate::common;
use common::{HALL, fail, hall, json, succeed};

/// The hall with its gap of 5 m narrowed or closed by another wall.
fn narrowed(width: u32) -> String {
    let from = 15;
    let to = from + width;
    format!(
        "{HALL}
v 10 0 {from}\nv 10.5 0 {from}\nv 10.5 0 {to}\nv 10 0 {to}
v 10 3 {from}\nv 10.5 3 {from}\nv 10.5 3 {to}\nv 10 3 {to}
f -4 -1 -2 -3
f -8 -7 -3 -4
f -7 -6 -2 -3
f -6 -5 -1 -2
f -5 -8 -4 -1
"
    )
}

#[test]
fn a_gap_that_is_closed_parts_the_ground() {
    let folder = hall();
    let folder = folder.path();
    std::fs::write(folder.join("closed.obj"), narrowed(5)).expect("a file");
    succeed(folder, &["build", "hall.obj"]);
    succeed(folder, &["build", "closed.obj"]);
    let same = succeed(folder, &["diff", "hall.wmesh", "hall.wmesh"]);
    assert!(same.starts_with("no difference"), "{same}");
    let found = succeed(folder, &["diff", "hall.wmesh", "closed.wmesh", "--svg", "diff.svg"]);
    for part in
        ["ground lost: ", "ground gained: 0.00 m2", "  parted: ", " broken, 0 opened", " before, none now"]
    {
        assert!(found.contains(part), "{part}: {found}");
    }
    assert!(std::fs::read_to_string(folder.join("diff.svg")).expect("a picture").contains("ground lost"));
    let back = json(&succeed(folder, &["diff", "closed.wmesh", "hall.wmesh", "--json"]));
    assert_eq!((back["joined"][0].as_array().map(Vec::len), back["pieces"][1].as_u64()), (Some(2), Some(1)));
    assert!(back["paths"]["opened"].as_u64().expect("a number") > 20, "{back}");
    // The passage of 5 m less the radius on both sides, 0.5 m wide and the radius on both sides long.
    let area = back["gained"]["area"].as_f64().expect("an area");
    assert!(area > 4.0 && area < 9.0, "{area}");
    for spacing in ["0", "1e-6"] {
        let refused = fail(folder, 1, &["diff", "hall.wmesh", "closed.wmesh", "--spacing", spacing]);
        assert!(refused.contains("spacing"), "{refused}");
    }
    assert!(fail(folder, 1, &["diff", "hall.wmesh", "hall.obj"]).contains("hall.obj"));
}

#[test]
fn a_detour_and_a_link_are_found() {
    let folder = hall();
    let folder = folder.path();
    std::fs::write(folder.join("narrow.obj"), narrowed(3)).expect("a file");
    succeed(folder, &["build", "hall.obj"]);
    succeed(folder, &["build", "narrow.obj"]);
    let found = json(&succeed(folder, &["diff", "hall.wmesh", "narrow.wmesh", "--json"]));
    assert!(
        found["parted"].as_array().is_some_and(Vec::is_empty) && found["paths"]["broken"] == 0,
        "{found}"
    );
    assert!(
        found["paths"]["longer"].as_u64().expect("a number") > 10 && found["paths"]["shorter"] == 0,
        "{found}"
    );
    // A platform and the jump to it.
    let platform = "v 21 0 0\nv 26 0 0\nv 26 0 20\nv 21 0 20\nf -4 -1 -2 -3\n";
    std::fs::write(folder.join("wide.obj"), format!("{HALL}{platform}")).expect("a file");
    succeed(folder, &["build", "wide.obj", "-o", "apart.wmesh"]);
    succeed(folder, &["build", "wide.obj", "--jumps"]);
    let found = json(&succeed(folder, &["diff", "apart.wmesh", "wide.wmesh", "--json"]));
    assert!(found["links_gained"].as_array().is_some_and(|links| !links.is_empty()), "{found}");
    assert_eq!((&found["links_gained"][0]["kind"], &found["lost"]["area"]), (&"jump".into(), &0.0.into()));
    assert_eq!(found["joined"][0].as_array().map(Vec::len), Some(2), "{found}");
}
