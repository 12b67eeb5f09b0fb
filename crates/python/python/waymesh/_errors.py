"""The exceptions of waymesh. Their texts are those of the Rust library."""


class WaymeshError(Exception):
    """Any error of waymesh."""


class ConfigError(WaymeshError, ValueError):
    """A setting that is unknown, out of its range, or not one of the pipeline's."""


class InputError(WaymeshError, ValueError):
    """An argument of a wrong shape, dtype or kind."""


class FileError(WaymeshError, OSError):
    """A scene or floor plan that cannot be read, or a file that cannot be written."""


class MeshError(WaymeshError):
    """Bytes or files that are no navigation mesh."""


class BakeError(WaymeshError):
    """A bake that failed."""


class Cancelled(BakeError):
    """A bake that its :class:`waymesh.CancelToken` ended."""


class NothingWalkableError(BakeError):
    """A scene without a usable triangle or without a place to stand."""


class TileError(BakeError):
    """Tiles that are missing or damaged, or that belong to another bake."""


class QueryError(WaymeshError, ValueError):
    """A query without an answer, such as one for a position that is not finite."""


class NoMeshNearError(QueryError):
    """An end of a path without mesh near it that the costs leave open, or without room for the radius."""
