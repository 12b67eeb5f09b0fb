//! Attributes of elements, and names of elements for messages.

use roxmltree::Node;

/// Names of elements for messages.
pub(super) struct Names {
    /// Offsets of the ends of the lines in the file.
    pub(super) line_ends: Vec<usize>,
}

impl Names {
    pub(super) fn of(&self, node: Node<'_, '_>) -> String {
        let tag = node.tag_name().name();
        match attribute(node, "id") {
            Some(id) => format!("<{tag}> {id:?}"),
            None => {
                let start = node.range().start;
                format!("<{tag}> at line {}", self.line_ends.partition_point(|&end| end < start) + 1)
            }
        }
    }
}

/// Returns an attribute of this name in any namespace.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}
