//! A copy of a drawing with what is needed of it: shapes and the groups around them, with the
//! properties that style sheets give them, copies of what `use` refers to, and clip paths.
//!
//! usvg resolves this copy. From a whole drawing it would silently drop elements that it does not
//! draw, it would not report the element of a shape, and it would process filters, masks, patterns,
//! markers and text, which plans do not need and which hostile drawings use to exhaust memory.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use roxmltree::{Document, Node};
use simplecss::{AttributeOperator, Declaration, DeclarationTokenizer, PseudoClass, StyleSheet};

use super::check::{self, Names, attribute};
use crate::read::{Reader, Role};
use crate::{FloorPlan, PlanError};

/// Attributes that name the kind of an element, by precedence. Illustrator writes `data-name`,
/// Inkscape `inkscape:label`.
const LABELS: [&str; 4] = ["class", "label", "data-name", "id"];

/// Attributes that are also properties of style sheets.
const PROPERTIES: [&str; 25] = [
    "clip-path",
    "clip-rule",
    "color",
    "cx",
    "cy",
    "display",
    "fill",
    "fill-opacity",
    "fill-rule",
    "font-size",
    "height",
    "mask",
    "opacity",
    "overflow",
    "r",
    "rx",
    "ry",
    "stroke",
    "stroke-opacity",
    "stroke-width",
    "transform",
    "visibility",
    "width",
    "x",
    "y",
];

/// Other attributes that are copied.
const ATTRIBUTES: [&str; 13] = [
    "clipPathUnits",
    "d",
    "points",
    "preserveAspectRatio",
    "requiredExtensions",
    "requiredFeatures",
    "systemLanguage",
    "transform-origin",
    "viewBox",
    "x1",
    "x2",
    "y1",
    "y2",
];

/// Elements that draw something.
const SHAPES: [&str; 7] = ["circle", "ellipse", "line", "path", "polygon", "polyline", "rect"];

/// Deepest nesting of elements, with the copies that `use` makes: usvg calls itself for each level.
const MAX_DEPTH: usize = 128;
/// Longest chain of clip paths that clip each other.
const MAX_CLIP_DEPTH: usize = 16;
/// Comparisons of elements with the selectors of style sheets for each byte of the file, and
/// besides: 500 rules for each element that is written shortly.
const COMPARISONS_FACTOR: u64 = 16;
const FREE_COMPARISONS: u64 = 5_000_000;
/// Bytes of a style sheet that take the parser as long as a comparison. It counts lines from the
/// beginning for each declaration.
const BYTES_PER_COMPARISON: usize = 64;
/// Largest product of the selectors and declarations of style sheets: each selector gets a copy of
/// its declarations.
const MAX_DECLARATIONS: usize = 10_000_000;
/// Bytes of the copy for each byte of the file, and besides: `use` repeats what it refers to.
const COPY_FACTOR: usize = 8;
const FREE_COPY: usize = 16 << 20;

/// Paint and width of strokes, and paint of fills, that the file leaves open. Nobody draws with
/// these.
pub(super) const OPEN_STROKE: [u8; 3] = [1, 2, 3];
pub(super) const OPEN_FILL: [u8; 3] = [1, 2, 4];
pub(super) const OPEN_WIDTH: f32 = 1.234_567e-3;

type Attributes<'a> = BTreeMap<&'a str, Cow<'a, str>>;

/// A shape of the drawing.
pub(super) struct Source<'a> {
    pub(super) node: Node<'a, 'a>,
    pub(super) kind: Option<Role>,
    pub(super) area: Option<&'a str>,
}

/// The properties that an element has from the groups around it.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The kind that `use` gives to the element itself.
    given: Option<Role>,
    kind: Option<Role>,
    area: Option<&'a str>,
    depth: usize,
}

/// Writes the copy.
pub(super) struct Copy<'r, 'a> {
    reader: &'r Reader<'r>,
    plan: &'r mut FloorPlan,
    names: &'r Names,
    styles: StyleSheet<'a>,
    /// Comparisons that are left.
    comparisons: Cell<u64>,
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    clip_depths: HashMap<&'a str, usize>,
    /// The elements that `use` refers to, from the outermost to this one.
    open: Vec<Node<'a, 'a>>,
    limit: usize,
    has_size: bool,
    pub(super) text: String,
    /// The shapes of the copy; its ids are `#` and their index.
    pub(super) shapes: Vec<Source<'a>>,
}

impl<'r, 'a> Copy<'r, 'a> {
    /// Copies a document. `css` holds its style sheets, `size` is that of its viewport,
    /// if it has one.
    pub(super) fn of(
        reader: &'r Reader<'r>,
        plan: &'r mut FloorPlan,
        names: &'r Names,
        document: &'a Document<'a>,
        css: &'a str,
        size: Option<[f64; 2]>,
    ) -> Result<Self, PlanError> {
        let declarations = css.matches([',', '{']).count().saturating_mul(css.matches(';').count());
        if declarations > MAX_DECLARATIONS {
            let message =
                format!("style sheets of {declarations} declarations, the limit is {MAX_DECLARATIONS}");
            return Err(reader.fault(message));
        }
        let mut by_id = HashMap::new();
        for node in document.descendants() {
            if let Some(id) = node.attribute("id") {
                by_id.entry(id).or_insert(node);
            }
        }
        let mut copy = Self {
            reader,
            plan,
            names,
            styles: StyleSheet::default(),
            comparisons: Cell::new(
                document.input_text().len() as u64 * COMPARISONS_FACTOR + FREE_COMPARISONS,
            ),
            by_id,
            clip_depths: HashMap::new(),
            open: Vec::new(),
            limit: document.input_text().len() * COPY_FACTOR + FREE_COPY,
            has_size: size.is_some(),
            text: String::new(),
            shapes: Vec::new(),
        };
        copy.spend_on_declarations(css)?;
        copy.styles = StyleSheet::parse(css);
        let paint = |[red, green, blue]: [u8; 3]| format!("#{red:02x}{green:02x}{blue:02x}");
        let [width, height] = size.unwrap_or([100.0; 2]);
        // Writing to a string does not fail.
        let _ = write!(
            copy.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{OPEN_WIDTH}\">",
            paint(OPEN_FILL),
            paint(OPEN_STROKE),
        );
        copy.definitions(document)?;
        let root = document.root_element();
        let mut attributes = copy.attributes(root)?;
        for name in ["x", "y", "width", "height", "viewBox", "preserveAspectRatio", "overflow"] {
            attributes.remove(name);
        }
        copy.group("g", root, attributes, Around::default())?;
        copy.text.push_str("</svg>");
        Ok(copy)
    }

    /// Clip paths, and what fills and strokes refer to: any paint will do.
    fn definitions(&mut self, document: &'a Document<'a>) -> Result<(), PlanError> {
        for node in document.descendants() {
            let Some(id) = node.attribute("id").filter(|id| self.by_id.get(id) == Some(&node)) else {
                continue;
            };
            match node.tag_name().name() {
                "linearGradient" | "radialGradient" | "pattern" | "meshgradient" | "hatch" | "solidcolor" => {
                    self.open("linearGradient", Some(id), &Attributes::new())?;
                    self.text.push_str("<stop/></linearGradient>");
                }
                "clipPath" => self.clip_path(node, id)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn clip_path(&mut self, node: Node<'a, 'a>, id: &'a str) -> Result<(), PlanError> {
        let mut attributes = self.attributes(node)?;
        // Only clip paths that are written already, so that none clips itself.
        let outer = attributes.get("clip-path").and_then(|link| self.clip_depths.get(target(link)?));
        let depth = outer.filter(|depth| **depth < MAX_CLIP_DEPTH).map_or(0, |depth| depth + 1);
        if depth == 0 && attributes.remove("clip-path").is_some_and(|link| link != "none") {
            self.ignored(node, "a clip path of a clip path before it, or one of many in a row,");
        }
        self.open("clipPath", Some(id), &attributes)?;
        for child in node.children().filter(Node::is_element) {
            let mut attributes = self.attributes(child)?;
            let mut shape = child;
            if child.tag_name().name() == "use"
                && let Some(link) = self.link(child)
            {
                let mut own = self.attributes(link)?;
                let [x, y] = ["x", "y"].map(|name| attributes.remove(name).unwrap_or("0".into()));
                let [outer, inner] =
                    [&attributes, &own].map(|all| all.get("transform").cloned().unwrap_or_default());
                let transform = format!("{outer} translate({x} {y}) {inner}");
                check::transform(self.reader, child, &transform)?;
                own.insert("transform", transform.into());
                (attributes, shape) = (own, link);
            }
            if !SHAPES.contains(&shape.tag_name().name()) {
                if shape.tag_name().name() != "title" && shape.tag_name().name() != "desc" {
                    self.ignored(child, "a part of a clip path that is no shape");
                }
                continue;
            }
            if attributes.remove("clip-path").is_some_and(|link| link != "none") {
                self.ignored(child, "a clip path of a part of a clip path");
            }
            self.open(shape.tag_name().name(), None, &attributes)?;
            self.close(shape.tag_name().name());
        }
        self.close("clipPath");
        self.clip_depths.insert(id, depth);
        Ok(())
    }

    /// Copies an element and all in it.
    fn element(&mut self, node: Node<'a, 'a>, around: Around<'a>) -> Result<(), PlanError> {
        let tag = node.tag_name().name();
        let is_shape = SHAPES.contains(&tag);
        match tag {
            // A choice for other programs.
            "foreignObject" if node.attribute("requiredExtensions").is_some() => return Ok(()),
            "text" | "image" | "foreignObject" => {
                self.ignored(node, format!("<{tag}>"));
                return Ok(());
            }
            "svg" | "g" | "a" | "switch" | "use" => {}
            _ if is_shape => {}
            _ => return Ok(()),
        }
        let attributes = self.attributes(node)?;
        if attributes.get("display").is_some_and(|display| display == "none") {
            let draws =
                |node: Node<'_, '_>| SHAPES.contains(&node.tag_name().name()) || node.has_tag_name("use");
            if node.descendants().any(draws) {
                self.ignored(node, "what is hidden (display: none)");
            }
            return Ok(());
        }
        match tag {
            "use" => self.copy_of(node, attributes, around),
            "a" => self.group("g", node, attributes, around),
            _ if is_shape => {
                let around = self.around(node, around)?;
                let id = format!("#{}", self.shapes.len());
                self.shapes.push(Source { node, kind: around.kind, area: around.area });
                self.open(tag, Some(&id), &attributes)?;
                self.close(tag);
                Ok(())
            }
            _ => self.group(tag, node, attributes, around),
        }
    }

    fn group(
        &mut self,
        tag: &str,
        node: Node<'a, 'a>,
        attributes: Attributes<'a>,
        around: Around<'a>,
    ) -> Result<(), PlanError> {
        let around = self.around(node, around)?;
        self.open(tag, None, &attributes)?;
        for child in node.children().filter(Node::is_element) {
            self.element(child, around)?;
        }
        self.close(tag);
        Ok(())
    }

    /// Copies what a `use` refers to, at its place.
    fn copy_of(
        &mut self,
        node: Node<'a, 'a>,
        mut attributes: Attributes<'a>,
        around: Around<'a>,
    ) -> Result<(), PlanError> {
        let Some(link) = self.link(node).filter(|link| !self.open.contains(link)) else {
            self.ignored(node, "a use of what is not in the file, or of itself,");
            return Ok(());
        };
        let mut inside = self.around(node, around)?;
        inside.given = self.kind(node);
        let mut place = Attributes::new();
        for name in ["x", "y", "width", "height"] {
            place.extend(attributes.remove(name).map(|value| (name, value)));
        }
        let mut frame = place.clone();
        frame.retain(|name, _| *name == "x" || *name == "y");
        frame.insert("overflow", "visible".into());
        self.open("g", None, &attributes)?;
        self.open.push(link);
        match link.tag_name().name() {
            "symbol" | "svg" => {
                let mut own = self.attributes(link)?;
                if link.has_tag_name("symbol") {
                    own.extend(place);
                    self.group("svg", link, own, inside)?;
                } else {
                    place.retain(|name, _| *name == "width" || *name == "height");
                    own.extend(place);
                    self.open("svg", None, &frame)?;
                    self.group("svg", link, own, inside)?;
                    self.close("svg");
                }
            }
            _ => {
                self.open("svg", None, &frame)?;
                self.element(link, inside)?;
                self.close("svg");
            }
        }
        self.open.pop();
        self.close("g");
        Ok(())
    }

    /// The element that a `use` refers to.
    fn link(&self, node: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
        let link = node.attributes().find(|attribute| attribute.name() == "href")?.value();
        self.by_id.get(link.trim().strip_prefix('#')?).copied()
    }

    /// Returns the properties that the children of an element have from it.
    fn around(&mut self, node: Node<'a, 'a>, around: Around<'a>) -> Result<Around<'a>, PlanError> {
        let depth = around.depth + 1;
        if depth > MAX_DEPTH {
            let message = format!("{}: elements are nested deeper than {MAX_DEPTH}", self.names.of(node));
            return Err(self.reader.fault(message));
        }
        let kind = around.given.or_else(|| self.kind(node)).or(around.kind);
        let area = attribute(node, "data-area").or(around.area);
        Ok(Around { given: None, kind, area, depth })
    }

    /// The kind that an element itself gives.
    fn kind(&mut self, node: Node<'a, 'a>) -> Option<Role> {
        let labels = LABELS.into_iter().filter_map(|name| attribute(node, name));
        self.reader.role(self.plan, &self.names.of(node), &labels.collect::<Vec<_>>())
    }

    fn ignored(&mut self, node: Node<'a, 'a>, what: impl Into<String>) {
        self.reader.ignored(self.plan, &self.names.of(node), what);
    }

    /// The attributes of an element and the properties that style sheets give it (CSS 2.1, 6.4),
    /// checked.
    fn attributes(&mut self, node: Node<'a, 'a>) -> Result<Attributes<'a>, PlanError> {
        let mut found: BTreeMap<&'a str, (Cow<'a, str>, bool)> = BTreeMap::new();
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            let name = attribute.name();
            if PROPERTIES.contains(&name) || ATTRIBUTES.contains(&name) {
                found.insert(name, (attribute.value().into(), false));
            }
        }
        let mut set = |one: &Declaration<'a>| {
            let is_free = |found: &(_, bool)| one.important || !found.1;
            if PROPERTIES.contains(&one.name) && found.get(one.name).is_none_or(is_free) {
                found.insert(one.name, (one.value.into(), one.important));
            }
        };
        let styled = Styled { node, comparisons: &self.comparisons };
        for rule in self.styles.rules.iter().filter(|rule| styled.spend() && rule.selector.matches(&styled)) {
            rule.declarations.iter().for_each(&mut set);
        }
        let style = node.attribute("style").unwrap_or("");
        self.spend_on_declarations(style)?;
        DeclarationTokenizer::from(style).for_each(|one| set(&one));
        let mut attributes: Attributes<'a> =
            found.into_iter().map(|(name, (value, _))| (name, value)).collect();
        if attributes.remove("mask").is_some_and(|mask| mask != "none") {
            self.ignored(node, "a mask");
        }
        if attributes.get("clip-path").is_some_and(|clip| clip.contains('(') && !clip.starts_with("url")) {
            self.ignored(node, "a clip path that is no clipPath of the file");
            attributes.remove("clip-path");
        }
        check::attributes(self.reader, node, &mut attributes, self.has_size)?;
        Ok(attributes)
    }

    /// Counts what it takes to read declarations.
    fn spend_on_declarations(&self, css: &str) -> Result<(), PlanError> {
        let work = (css.matches([';', '}']).count() + 1).saturating_mul(css.len()) / BYTES_PER_COMPARISON;
        self.comparisons.set(self.comparisons.get().saturating_sub(work as u64));
        match self.comparisons.get() {
            0 => Err(self
                .reader
                .fault("style sheets take too many comparisons of elements with selectors; leave rules out")),
            _ => Ok(()),
        }
    }

    fn open(&mut self, tag: &str, id: Option<&str>, attributes: &Attributes<'_>) -> Result<(), PlanError> {
        self.text.push('<');
        self.text.push_str(tag);
        let all = attributes.iter().map(|(name, value)| (*name, &**value));
        for (name, value) in id.map(|id| ("id", id)).into_iter().chain(all) {
            self.text.extend([" ", name, "=\""]);
            for letter in value.chars() {
                match letter {
                    '&' => self.text.push_str("&amp;"),
                    '<' => self.text.push_str("&lt;"),
                    '"' => self.text.push_str("&quot;"),
                    other => self.text.push(other),
                }
            }
            self.text.push('"');
        }
        self.text.push('>');
        if self.text.len() > self.limit {
            let message = format!("uses make more than {} bytes of the file", self.limit);
            return Err(self.reader.fault(message));
        }
        Ok(())
    }

    fn close(&mut self, tag: &str) {
        self.text.extend(["</", tag, ">"]);
    }
}

/// The id in `url(#id)`.
fn target(link: &str) -> Option<&str> {
    let id = link.trim().strip_prefix("url(")?.strip_suffix(')')?;
    id.trim_matches(['"', '\'', ' ']).strip_prefix('#')
}

/// An element as selectors see it.
struct Styled<'c, 'a> {
    node: Node<'a, 'a>,
    comparisons: &'c Cell<u64>,
}

impl Styled<'_, '_> {
    /// Counts a comparison. `false` if none is left.
    fn spend(&self) -> bool {
        self.comparisons.set(self.comparisons.get().saturating_sub(1));
        self.comparisons.get() > 0
    }
}

impl simplecss::Element for Styled<'_, '_> {
    fn parent_element(&self) -> Option<Self> {
        let node = self.node.parent_element().filter(|_| self.spend())?;
        Some(Self { node, comparisons: self.comparisons })
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        let node = self.node.prev_sibling_element().filter(|_| self.spend())?;
        Some(Self { node, comparisons: self.comparisons })
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.node.tag_name().name() == name
    }

    fn attribute_matches(&self, name: &str, operator: AttributeOperator<'_>) -> bool {
        self.node.attribute(name).is_some_and(|value| operator.matches(value))
    }

    fn pseudo_class_matches(&self, class: PseudoClass<'_>) -> bool {
        matches!(class, PseudoClass::FirstChild) && self.prev_sibling_element().is_none()
    }
}
