use waymesh_core::AreaTable;

use super::*;
use crate::BakeConfig;

/// Another value that the field takes.
fn other<T>(field: &Field<T>, settings: &T) -> Value {
    let entries = |pairs: Vec<(&str, Value)>| {
        Value::Entries(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    match (field.kind, field.get(settings)) {
        (FieldKind::Flag, Value::Flag(flag)) => Value::from(!flag),
        (FieldKind::Choice { choices }, Value::Text(now)) => {
            choices.iter().copied().find(|choice| *choice != now).expect("a choice of two at least").into()
        }
        (FieldKind::Number { .. }, Value::Number(number)) => Value::from(number + 1.0),
        (FieldKind::Number { .. }, Value::Unset) => Value::from(0.25),
        (FieldKind::Count { .. }, Value::Number(number)) => Value::from(number + 3.0),
        (FieldKind::Structure { .. }, _) => match field.name {
            "height_classes" => Value::from(vec![2.5, 3.0]),
            "origin" => Value::from(vec![500_000.0, 0.25, -3.0]),
            "geo_origin" => Value::from(vec![8.54, 47.37]),
            "keep" => Value::from(vec![vec![1.0, 2.0, 3.0]]),
            "areas" => entries(vec![("3", entries(vec![("name", "mud".into()), ("cost", 2.5.into())]))]),
            "marks" => {
                let corners = Value::from(vec![vec![0.0, 0.0, 0.0], vec![1.0, 1.0, 1.0]]);
                Value::List(vec![entries(vec![("area", Value::from(7.0)), ("box", corners)])])
            }
            "jumps" => entries(vec![("max_length", 3.0.into())]),
            name => panic!("{name} is not in this test"),
        },
        (FieldKind::Text, _) if field.name == "agent" => "person".into(),
        (FieldKind::Text, Value::Unset) => "a/folder".into(),
        (kind, value) => panic!("{}: {kind:?} has the default {value}", field.name),
    }
}

/// Sets every field to another value and reads it again.
fn turn<T: Clone + PartialEq + std::fmt::Debug>(fields: &[Field<T>], settings: &T) {
    for field in fields {
        let (mut turned, value) = (settings.clone(), other(field, settings));
        let given = [(field.name.to_owned(), value.clone())];
        let mut entries = Entries::new("settings", &given);
        entries.apply(fields, &mut turned).expect(field.name);
        entries.finish().expect(field.name);
        assert_ne!(turned, *settings, "{}", field.name);
        if field.get(settings) != Value::Unset {
            assert_eq!(field.get(&turned), value, "{}", field.name);
        }
        let given = [(field.name.to_owned(), Value::List(vec![Value::Unset]))];
        let refused = Entries::new("settings", &given).apply(fields, &mut turned).expect_err(field.name);
        assert!(!refused.to_string().is_empty());
    }
}

#[test]
fn every_field_of_a_bake_has_a_name() {
    let config = BakeConfig::default();
    turn(BAKE, &config);
    turn(JUMPS, &crate::JumpConfig::default());
    turn(LOAD, &crate::io::LoadOptions::default());
    turn(VOXELS, &Voxels::default());
    for (option, _) in config.differences(&config) {
        assert!(BAKE.iter().any(|field| field.option == option), "{option} has no name");
    }
    for field in BAKE {
        assert!(
            config.differences(&config).iter().any(|(option, _)| *option == field.option),
            "{}",
            field.name
        );
        let given = [(field.name.to_owned(), other(field, &config))];
        let mut turned = config.clone();
        Entries::new("settings", &given).apply(BAKE, &mut turned).expect(field.name);
        assert!(turned.differences(&config).contains(&(field.option, true)), "{}", field.name);
    }
}

#[cfg(all(feature = "floorplan", feature = "slices", feature = "storeys"))]
#[test]
fn every_field_of_a_front_end_has_a_name() {
    turn(STOREYS, &crate::Storeys::default());
    turn(SLICES, &crate::Slices::default());
    let plans: Vec<&Field<crate::FloorPlans>> =
        PLANS.iter().filter(|field| field.name != "miter_limit").collect();
    for field in plans {
        turn(std::slice::from_ref(field), &crate::FloorPlans::default());
    }
}

#[test]
fn what_cannot_be_used_is_named() {
    let refuse = |name: &str, value: Value| {
        let given = [(name.to_owned(), value)];
        let mut entries = Entries::new("settings", &given);
        let done = entries.apply(BAKE, &mut BakeConfig::default()).and_then(|()| entries.finish());
        done.expect_err(name).to_string()
    };
    assert_eq!(
        refuse("cell_size", "small".into()),
        "settings: cell_size cannot be \"small\": Side of a cell of the grid"
    );
    assert_eq!(
        refuse("max_vertices", 2.5.into()),
        "settings: max_vertices cannot be 2.5: Most corners of a polygon"
    );
    for degrees in [-1.0, 90.0, 95.0] {
        let limits = "degrees, but must be at least 0 and below 90";
        assert_eq!(refuse("max_slope", degrees.into()), format!("settings: max_slope is {degrees} {limits}"));
    }
    assert_eq!(
        refuse("partition", "none".into()),
        "settings: partition is \"none\", but must be one of surfaces, watershed, monotone"
    );
    assert_eq!(refuse("cellsize", 1.0.into()), "settings: there is no setting \"cellsize\" here");
    let jumps = Value::Entries(vec![("length".to_owned(), 2.0.into())]);
    assert_eq!(refuse("jumps", jumps), "settings: jumps: there is no setting \"length\" here");
    let mark = Value::Entries(vec![("area".to_owned(), "grass".into())]);
    assert_eq!(
        refuse("marks", vec![mark].into()),
        "settings: shape: give one of box, cylinder, prism and mesh"
    );
    for name in ["giant", "robot", "robot:0", "robot:x", "vehicle:-1", "person:2"] {
        let names = "recast, person, crouched, wheelchair, robot:RADIUS and vehicle:WIDTH";
        assert_eq!(
            refuse("agent", name.into()),
            format!("settings: there is no agent {name:?}, but {names}")
        );
    }
    // An unset value keeps the default.
    let given = [("cell_size".to_owned(), Value::Unset), ("unknown".to_owned(), Value::Unset)];
    let (mut entries, mut config) = (Entries::new("settings", &given), BakeConfig::default());
    entries.apply(BAKE, &mut config).and_then(|()| entries.finish()).expect("nothing is given");
    assert_eq!(config, BakeConfig::default());
}

#[test]
fn a_usual_agent_comes_with_a_grid_that_other_settings_override() {
    let set = |config: BakeConfig, given: &[(&str, Value)]| {
        let given: Vec<_> = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let (mut entries, mut config) = (Entries::new("settings", &given), config);
        entries.apply(BAKE, &mut config).and_then(|()| entries.finish()).expect("settings");
        config.validate().expect("settings that can be used");
        config
    };
    let person = set(BakeConfig::default(), &[("agent", "person".into())]);
    assert_eq!((person.agent.radius, person.scale.cell_size, person.scale.level_height), (0.3, 0.1, 0.05));
    let robot = set(BakeConfig::default(), &[("max_step", 0.1.into()), ("agent", "robot:0.25".into())]);
    assert_eq!((robot.agent.radius, robot.agent.height, robot.agent.max_step), (0.25, 0.5, 0.1));
    assert_eq!(set(BakeConfig::default(), &[("agent", "recast".into())]), BakeConfig::default());
    // The grids of storeys and slices resolve any agent.
    let fine = BakeConfig::default().with_scale(0.05, 0.02);
    assert_eq!(set(fine.clone(), &[("agent", "wheelchair".into())]).scale, fine.scale);
    let classes = [("height_classes", Value::from(vec![1.2, 1.9])), ("agent", "person".into())];
    assert!((set(BakeConfig::default(), &classes).agent.height - 1.2).abs() < 1e-6);
    for name in waymesh_core::Agent::NAMES {
        assert_eq!(set(BakeConfig::default(), &[("agent", name.into())]).agent.validate(), Ok(()));
    }
}

#[test]
fn another_pipeline_is_refused_where_only_voxels_can_serve() {
    let asked = |pipeline: Value| {
        let given = [("pipeline".to_owned(), pipeline), ("tile_cells".to_owned(), 16.0.into())];
        let mut entries = Entries::new("settings", &given);
        let found = voxels(&mut entries, &AreaTable::default()).map(|baker| baker.front().tile_cells);
        found.map_err(|error| error.to_string())
    };
    assert_eq!(asked("voxels".into()), Ok(16));
    assert_eq!(asked(Value::Unset), Ok(16));
    for other in ["storeys", "slices", "magic"] {
        let refusal = format!("settings: pipeline is {}, but only voxels can do this", Value::from(other));
        assert_eq!(asked(other.into()), Err(refusal));
    }
}

/// An agent's name is for every pipeline; a radius that was typed is refused where the front end
/// has one only.
#[cfg(all(feature = "slices", feature = "storeys"))]
#[test]
fn every_pipeline_takes_every_named_agent() {
    use crate::Agent;
    let check = |given: &[(String, Value)]| {
        let mut entries = Entries::new("settings", given);
        let baker = AnyBaker::of(&mut entries, &AreaTable::default()).expect("settings");
        match &baker {
            AnyBaker::Voxels(baker) => (baker.check(), baker.config().agent),
            AnyBaker::Storeys(baker) => (baker.check(), baker.config().agent),
            AnyBaker::Slices(baker) => (baker.check(), baker.config().agent),
        }
    };
    for pipeline in ["voxels", "storeys", "slices"] {
        for name in Agent::NAMES.into_iter().chain(["robot:0.2", "vehicle:1.8"]) {
            let mut given = vec![("pipeline".to_owned(), pipeline.into()), ("agent".to_owned(), name.into())];
            let (checked, agent) = check(&given);
            let named = Agent::named(name).expect("an agent");
            let radius = if pipeline == "slices" { 0.0 } else { named.radius };
            assert_eq!(agent, named.with_radius(radius), "{pipeline}, {name}");
            checked.unwrap_or_else(|error| panic!("{pipeline}, {name}: {error}"));
            given.push(("agent_radius".to_owned(), Value::from(0.3)));
            assert_eq!(check(&given).0.is_err(), pipeline == "slices", "{pipeline}, {name}");
        }
    }
}
