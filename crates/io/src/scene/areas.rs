//! Areas by what a file calls its surfaces.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use waymesh_core::{AreaError, AreaId, AreaTable};

/// Names of a surface in a file. Missing names are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurfaceNames {
    /// File name without its ending.
    pub file: String,
    /// Object: `o` of OBJ, the node of glTF, the id of a city object.
    pub object: String,
    /// Group: `g` of OBJ, the mesh of glTF, the type of a city object: `Building`.
    pub group: String,
    /// Material: `usemtl` of OBJ, the material of glTF, the semantic of a surface of a city:
    /// `RoofSurface`.
    pub material: String,
    /// Text at the key `waymesh_area` in the `extras` of the glTF material, else of the node.
    pub area: String,
}

impl SurfaceNames {
    /// All names, the most special first.
    fn all(&self) -> [&str; 5] {
        [&self.area, &self.material, &self.group, &self.object, &self.file].map(String::as_str)
    }
}

impl std::fmt::Display for SurfaceNames {
    /// Writes the object and the material, or what there is of group and file.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = [&self.object, &self.group, &self.file];
        let name = names.into_iter().find(|name| !name.is_empty()).map_or("", String::as_str);
        match (name, self.material.as_str()) {
            (name, "") => formatter.write_str(name),
            ("", material) => formatter.write_str(material),
            (name, material) => write!(formatter, "{name} ({material})"),
        }
    }
}

/// The names of the surfaces of a scene, by triangle.
#[derive(Clone, Debug, Default)]
pub struct SceneNames {
    /// One past the last triangle of each surface, in order.
    ends: Vec<usize>,
    names: Vec<SurfaceNames>,
}

impl SceneNames {
    /// Adds the triangles up to `end` to a surface, if it has names.
    pub(crate) fn push(&mut self, end: usize, surface: &Surface) {
        if surface.map.is_some() && self.ends.last().is_none_or(|&last| last < end) {
            self.ends.push(end);
            self.names.push(surface.names.clone());
        }
    }

    /// Returns the name of the surface of a triangle, as people know it; `None` if it has none.
    #[must_use]
    pub fn name_of(&self, triangle: usize) -> Option<String> {
        self.of(triangle).map(ToString::to_string).filter(|name| !name.is_empty())
    }

    /// Returns the names of the surface of a triangle; `None` beyond the last triangle.
    #[must_use]
    pub fn of(&self, triangle: usize) -> Option<&SurfaceNames> {
        self.names.get(self.ends.partition_point(|&end| end <= triangle))
    }
}

/// Gives areas to surfaces by their names; [`AreaId::NULL`] blocks them.
#[derive(Clone)]
pub struct AreaMap(Arc<dyn Fn(&SurfaceNames) -> AreaId + Send + Sync>);

impl std::fmt::Debug for AreaMap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("AreaMap")
    }
}

impl AreaMap {
    /// Makes a map of a function that gives the same area for the same names.
    ///
    /// ```
    /// use waymesh_core::AreaId;
    /// use waymesh_io::{AreaMap, LoadOptions, SurfaceNames, load_with_names};
    ///
    /// let map = AreaMap::new(|names: &SurfaceNames| match names.material.as_str() {
    ///     "glass" => AreaId::NULL,
    ///     "water" => AreaId(2),
    ///     _ => AreaId::GROUND,
    /// });
    /// # fn load(map: &AreaMap) -> Result<(), waymesh_io::IoError> {
    /// let (soup, _) = load_with_names(&["level.obj"], &LoadOptions::default(), map)?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn new(area_of: impl Fn(&SurfaceNames) -> AreaId + Send + Sync + 'static) -> Self {
        Self(Arc::new(area_of))
    }
}

/// The surface that is being read: its names and its area.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    map: Option<AreaMap>,
    names: SurfaceNames,
    pub(crate) area: AreaId,
}

impl Surface {
    /// Without a map everything is plain ground.
    pub(crate) fn new(map: Option<&AreaMap>) -> Self {
        Self { map: map.cloned(), names: SurfaceNames::default(), area: AreaId::GROUND }
    }

    /// Returns the surface of a file before its first statement.
    pub(crate) fn of(map: Option<&AreaMap>, file: &Path) -> Self {
        let mut surface = Self::new(map);
        surface.begin(file);
        surface
    }

    /// Begins a file.
    pub(crate) fn begin(&mut self, file: &Path) {
        let file = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.rename(|names| *names = SurfaceNames { file, ..SurfaceNames::default() });
    }

    /// Changes the names.
    pub(crate) fn rename(&mut self, change: impl FnOnce(&mut SurfaceNames)) {
        if let Some(map) = &self.map {
            change(&mut self.names);
            self.area = (map.0)(&self.names);
        }
    }
}

/// A rule that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AreaRuleError {
    /// A rule that is neither `PATTERN=NAME[:COST]` nor `PATTERN=blocked`.
    #[error("the rule {rule:?} is not PATTERN=NAME[:COST] or PATTERN=blocked")]
    Malformed {
        /// The rule.
        rule: String,
    },
    /// Two costs for one area.
    #[error("the rule {rule:?} gives the area another cost than a rule before it")]
    OtherCost {
        /// The rule.
        rule: String,
    },
    /// The area of a rule cannot be.
    #[error("the rule {rule:?}: {source}")]
    Area {
        /// The rule.
        rule: String,
        /// The reason.
        source: AreaError,
    },
}

/// Rules such as `water=river:5` (surfaces named `water` are the area `river`, where a metre costs
/// 5) and `glass=blocked` (nobody walks on them).
///
/// - A pattern matches a whole name of a surface ([`SurfaceNames`]), in any case of letters; `*`
///   matches any text, `?` for one character.
/// - The first rule that matches counts. Areas are numbered from 2 on in the order of the rules;
///   `ground` is plain ground, number 1.
/// - Clones share what [`AreaRules::unmatched`] reports.
#[derive(Clone, Debug)]
pub struct AreaRules {
    rules: Arc<[Rule]>,
    table: AreaTable,
}

#[derive(Debug)]
struct Rule {
    pattern: String,
    area: AreaId,
    has_matched: AtomicBool,
}

impl AreaRules {
    /// Reads rules.
    ///
    /// # Errors
    /// For a rule of another form, a cost that is negative or not finite, two costs of one area,
    /// and too many areas.
    pub fn parse<R: AsRef<str>>(rules: &[R]) -> Result<Self, AreaRuleError> {
        let (mut parsed, mut table) = (Vec::new(), AreaTable::default());
        for rule in rules {
            let rule = rule.as_ref();
            let malformed = || AreaRuleError::Malformed { rule: rule.to_owned() };
            let (pattern, area) = rule.rsplit_once('=').ok_or_else(malformed)?;
            let pattern = pattern.trim().to_lowercase();
            if pattern.is_empty() {
                return Err(malformed());
            }
            let area = table.named(area).map_err(|source| {
                let rule = rule.to_owned();
                match source {
                    AreaError::Malformed { .. } => AreaRuleError::Malformed { rule },
                    AreaError::OtherCost { .. } => AreaRuleError::OtherCost { rule },
                    source => AreaRuleError::Area { rule, source },
                }
            })?;
            parsed.push(Rule { pattern, area, has_matched: AtomicBool::new(false) });
        }
        Ok(Self { rules: parsed.into(), table })
    }

    /// Returns the areas of the rules.
    #[must_use]
    pub fn table(&self) -> &AreaTable {
        &self.table
    }

    /// Returns the area that a rule gives to a surface.
    #[must_use]
    pub fn find(&self, names: &SurfaceNames) -> Option<AreaId> {
        let names = names.all().map(str::to_lowercase);
        let is_match =
            |rule: &&Rule| names.iter().any(|name| !name.is_empty() && matches(&rule.pattern, name));
        self.rules.iter().find(is_match).map(|rule| {
            rule.has_matched.store(true, Ordering::Relaxed);
            rule.area
        })
    }

    /// Returns the patterns that matched no surface so far.
    pub fn unmatched(&self) -> impl Iterator<Item = &str> {
        self.rules
            .iter()
            .filter(|rule| !rule.has_matched.load(Ordering::Relaxed))
            .map(|rule| rule.pattern.as_str())
    }

    /// Returns the rules as a map: a surface that no rule matches is plain ground.
    #[must_use]
    pub fn map(&self) -> AreaMap {
        let rules = self.clone();
        AreaMap::new(move |names| rules.find(names).unwrap_or(AreaId::GROUND))
    }
}

/// Returns `true` if a pattern with `*` and `?` matches all of a text. Takes time in proportion to
/// the product of their lengths: after a mismatch only the last `*` takes one character more.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    let mut star = None;
    while from < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[from] => (at, from) = (at + 1, from + 1),
            _ => {
                let Some((of_star, start)) = star else { return false };
                star = Some((of_star, start + 1));
                (at, from) = (of_star + 1, start + 1);
            }
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, text, expected) in [
            ("water", "water", true),
            ("water", "waters", false),
            ("*water*", "deep_water_01", true),
            ("w?ter", "wäter", true),
            ("w?ter", "wter", false),
            ("a*b*c", "a__b__b_c", true),
            ("a*b*c", "a__b__c_", false),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern}, {text}");
        }
        // Would not end in a lifetime if every `*` was tried at every place.
        assert!(!matches(&"a*".repeat(2000), &("a".repeat(20_000) + "b").repeat(2).replace('a', "c")));
    }

    #[test]
    fn the_first_rule_that_matches_counts() {
        let rules = AreaRules::parse(&[
            "glass=blocked",
            "*Water*=river:5",
            "lake=river",
            "mud=swamp:2.5",
            "*=ground",
        ])
        .unwrap();
        let map = rules.map();
        let area =
            |material: &str| (map.0)(&SurfaceNames { material: material.into(), ..SurfaceNames::default() });
        assert_eq!([area("GLASS"), area("deep water"), area("lake")], [AreaId::NULL, AreaId(2), AreaId(2)]);
        assert_eq!(rules.unmatched().collect::<Vec<_>>(), ["mud", "*"]);
        assert_eq!([area("stone"), area("")], [AreaId::GROUND; 2]);
        let costs: Vec<_> =
            rules.table().iter().map(|(id, area)| (id.0, area.name.as_str(), area.cost)).collect();
        assert_eq!(costs, [(1, "ground", 1.0), (2, "river", 5.0), (3, "swamp", 2.5)]);
        let names = SurfaceNames { object: "glass".into(), area: "mud".into(), ..SurfaceNames::default() };
        assert_eq!(rules.find(&names), Some(AreaId::NULL), "rules are tried in order, for any name");
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        for rule in ["water", "=river", "water=", "water=river:x", "glass=blocked:2", "water=:5"] {
            let malformed = AreaRuleError::Malformed { rule: rule.into() };
            assert_eq!(AreaRules::parse(&[rule]).unwrap_err(), malformed);
        }
        assert!(matches!(AreaRules::parse(&["a=b:-1"]).unwrap_err(), AreaRuleError::Area { .. }));
        assert!(matches!(
            AreaRules::parse(&["a=b:2", "c=b:3"]).unwrap_err(),
            AreaRuleError::OtherCost { .. }
        ));
    }
}
