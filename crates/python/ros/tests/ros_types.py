"""Messages by the definitions of rosbags, with the checks that rclpy makes when a field is set."""

from __future__ import annotations

from array import array
from types import SimpleNamespace
from typing import Any

import numpy as np

NAMES = {
    "geometry_msgs/msg": ("Point", "Pose", "PoseStamped", "Quaternion"),
    "nav_msgs/msg": ("OccupancyGrid", "Path"),
    "std_msgs/msg": ("Header",),
    "visualization_msgs/msg": ("Marker", "MarkerArray"),
    "builtin_interfaces/msg": ("Time",),
}


class Messages:
    """Classes of messages of a distribution of ROS, and their form in bytes."""

    def __init__(self, store: str) -> None:
        from rosbags.typesys import Stores, get_typestore

        self.store: Any = get_typestore(Stores[store])
        self.classes: dict[str, Any] = {}
        named = {name: self.of(f"{folder}/{name}") for folder, names in NAMES.items() for name in names}
        self.types = SimpleNamespace(**named)

    def of(self, name: str) -> Any:
        """Returns the class of a message."""
        if name not in self.classes:
            constants, fields = self.store.fielddefs[name]
            kinds, messages = dict(fields), self

            def __init__(it: Any, **given: Any) -> None:
                for field, kind in fields:
                    setattr(it, field, given.pop(field) if field in given else messages.default(kind))
                assert not given, f"{name} has no field {list(given)}"

            def __setattr__(it: Any, field: str, value: Any) -> None:
                assert messages.fits(value, kinds[field]), f"{field} of {name} cannot be {value!r}"
                object.__setattr__(it, field, value)

            members = {"__init__": __init__, "__setattr__": __setattr__, "name": name}
            members |= {constant: value for constant, _, value in constants}
            self.classes[name] = type(name.split("/")[-1], (), members)
        return self.classes[name]

    def default(self, kind: Any) -> Any:
        node, about = kind
        if node.name == "NAME":
            return self.of(about)()
        if node.name == "BASE":
            return {"string": "", "bool": False}.get(about[0], 0.0 if about[0].startswith("float") else 0)
        assert node.name == "SEQUENCE"
        return []

    def fits(self, value: Any, kind: Any) -> bool:
        node, about = kind
        if node.name == "NAME":
            return isinstance(value, self.of(about))
        if node.name == "SEQUENCE":
            if isinstance(value, array):
                return bool(value.typecode == "b" and about[0][1][0] == "int8")
            return isinstance(value, (list, tuple)) and all(self.fits(it, about[0]) for it in value)
        kind = about[0]
        if kind.startswith("float"):
            return isinstance(value, float)
        if kind in ("string", "bool"):
            return isinstance(value, {"string": str, "bool": bool}[kind])
        limits = np.iinfo(kind)
        return isinstance(value, int) and bool(limits.min <= value <= limits.max)

    def plain(self, message: Any) -> Any:
        """Returns a message as rosbags takes it."""
        if isinstance(message, array):
            return np.asarray(message)
        if isinstance(message, (list, tuple)):
            return [self.plain(it) for it in message]
        if not hasattr(message, "name"):
            return message
        kinds = dict(self.store.fielddefs[message.name][1])
        given = {field: self.plain(value) for field, value in vars(message).items()}
        for field, (node, about) in kinds.items():
            if node.name == "SEQUENCE" and about[0][0].name == "BASE":
                given[field] = np.asarray(given[field], dtype=about[0][1][0])
        return self.store.types[message.name](**given)

    def round_trip(self, message: Any) -> Any:
        """Returns a message after it was written as CDR and read."""
        data = self.store.serialize_cdr(self.plain(message), message.name)
        back = self.store.deserialize_cdr(data, message.name)
        assert bytes(self.store.serialize_cdr(back, message.name)) == bytes(data)
        return back


class InstalledMessages:
    """Classes of messages of an installation of ROS."""

    def __init__(self) -> None:
        import importlib

        modules = {folder: importlib.import_module(folder.replace("/", ".")) for folder in NAMES}
        named = {name: getattr(modules[folder], name) for folder, names in NAMES.items() for name in names}
        self.types = SimpleNamespace(**named)

    def round_trip(self, message: Any) -> Any:
        from rclpy.serialization import deserialize_message, serialize_message

        return deserialize_message(serialize_message(message), type(message))
