"""Bakes on a Ray cluster: a world is cut into tiles, each is a task, and the result has the bytes that one machine would bake.

Scenes and tiles lie in any file system that ``fsspec`` knows: a folder that all machines share, ``s3://..``, ``gs://..``. A task whose
worker dies is run again, and a bake that was stopped goes on with the tiles that are there.

Without Ray, an indexed job of Kubernetes does the same with the program: every pod runs ``waymesh tile SCENE --tiles FOLDER --index
$JOB_COMPLETION_INDEX --of N``, and ``waymesh merge FOLDER --wait 3600`` joins the tiles as they come.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _waymesh
from ._bake import AnySettings, from_file
from ._errors import ConfigError, TileError
from ._waymesh import NavMesh
from .settings import entries_of

Tile = tuple[int, int]
"""Column and row."""


@dataclass(frozen=True)
class TileDone:
    """What the driver is told when a tile is done."""

    tile: Tile
    done: int
    total: int
    worker: int
    """The process that built it."""
    seconds: float
    """How long it took there, with reading the scene if it was the first."""


@dataclass
class Figures:
    """How long the parts of a bake took, in seconds."""

    survey: float = 0.0
    """Reading the scene and finding its tiles, once on the driver."""
    tiles: float = 0.0
    """From the first task to the end of the last."""
    work: float = 0.0
    """All tasks together."""
    merge: float = 0.0
    """Joining the tiles, once on the driver."""
    built: int = 0
    resumed: int = 0


def bake(
    scene: str | Sequence[str],
    settings: AnySettings = None,
    *,
    folder: str,
    max_retries: int = 3,
    storage_options: Mapping[str, Any] | None = None,
    on_tile: Callable[[TileDone], object] | None = None,
    figures: Figures | None = None,
) -> NavMesh:
    """Bakes scene files on the Ray cluster that the program is connected to.

    ``scene`` is a file or several, ``folder`` where the tiles go: paths that all machines see, or URLs of fsspec, opened with
    ``storage_options``. The folder belongs to one scene and one set of settings; tiles of another raise
    :class:`waymesh.TileError`. ``on_tile`` is called on the driver for each tile; ``figures`` receives how long the parts took.
    """
    import ray

    scenes = [scene] if isinstance(scene, str) else [str(file) for file in scene]
    entries = entries_of(settings)
    if entries.get("pipeline", "voxels") != "voxels":
        raise ConfigError("only voxels are baked tile by tile")
    for name in ("folder", "spill_folder"):
        if name in entries:
            raise ConfigError(f"{name} is chosen by each machine; give the folder of the tiles to bake")
    options = dict(storage_options or {})
    figures = figures if figures is not None else Figures()
    with tempfile.TemporaryDirectory(prefix="waymesh-") as local:
        start = time.perf_counter()
        files = _fetch(scenes, os.path.join(local, "scene"), options)
        tiles = os.path.join(local, "tiles")
        store = _Store(folder, options)
        there = store.names()
        # A folder of another bake is refused here, before any work.
        store.download(tiles, [_NOTE] if _NOTE in there else [])
        manifest = _waymesh.TileJob(files, {**entries, "folder": tiles}).manifest()
        wanted = {str(tile["file"]): (int(tile["column"]), int(tile["row"])) for tile in manifest["tiles"]}
        missing = [tile for name, tile in wanted.items() if name not in there]
        if _NOTE not in there:
            store.upload(os.path.join(tiles, _NOTE), _NOTE)
        figures.survey = time.perf_counter() - start
        figures.built, figures.resumed = len(missing), len(wanted) - len(missing)

        start = time.perf_counter()
        build = ray.remote(max_retries=max_retries)(_build)
        running = [build.remote(scenes, entries, folder, options, tile) for tile in missing]
        done = 0
        while running:
            ready, running = ray.wait(running)
            for tile, worker, seconds in ray.get(ready):
                done += 1
                figures.work += seconds
                if on_tile is not None:
                    on_tile(TileDone(tile, done, len(missing), worker, seconds))
        figures.tiles = time.perf_counter() - start

        start = time.perf_counter()
        store.download(tiles, list(wanted))
        # Damaged tiles are built again here, and those of another bake are refused.
        mesh = from_file(files, {**entries, "folder": tiles})
        figures.merge = time.perf_counter() - start
    return mesh


class _Store:
    """The folder of the tiles."""

    def __init__(self, folder: str, options: Mapping[str, Any]) -> None:
        import fsspec

        self.files, self.folder = fsspec.core.url_to_fs(folder, **options)
        self.files.makedirs(self.folder, exist_ok=True)

    def path(self, name: str) -> str:
        return f"{self.folder.rstrip('/')}/{name}"

    def names(self) -> set[str]:
        """Names of the files there. A store of objects has no folder until something is in it."""
        self.files.invalidate_cache()
        try:
            found = self.files.ls(self.folder, detail=False)
        except FileNotFoundError:
            return set()
        return {str(name).rsplit("/", 1)[-1] for name in found}

    def upload(self, local: str, name: str) -> None:
        """A file appears under its name when it is whole: stores of objects do that, folders by renaming."""
        if "file" in _protocols(self.files):
            aside = self.path(f".{name}.{os.getpid()}")
            self.files.put_file(local, aside)
            os.replace(aside, self.path(name))
        else:
            self.files.put_file(local, self.path(name))

    def download(self, local: str, names: Sequence[str]) -> None:
        os.makedirs(local, exist_ok=True)
        for name in names:
            try:
                self.files.get_file(self.path(name), os.path.join(local, name))
            except FileNotFoundError as error:
                raise TileError(f"{self.path(name)} is missing") from error


_NOTE = "bake.txt"
"""What a folder of tiles belongs to."""


def _protocols(files: Any) -> tuple[str, ...]:
    return (files.protocol,) if isinstance(files.protocol, str) else tuple(files.protocol)


def _fetch(scenes: Sequence[str], folder: str, options: Mapping[str, Any]) -> list[str]:
    """Files of this machine that hold the scenes: the same, if they are in a folder."""
    import fsspec

    found = []
    for scene in scenes:
        files, path = fsspec.core.url_to_fs(scene, **options)
        if "file" in _protocols(files):
            found.append(str(path))
            continue
        os.makedirs(folder, exist_ok=True)
        found.append(os.path.join(folder, str(path).rsplit("/", 1)[-1]))
        files.get_file(path, found[-1])
    return found


_KEPT: dict[str, tuple[Any, str]] = {}
"""The world that a worker has read, for its next tile."""


def _build(
    scenes: list[str], entries: dict[str, Any], folder: str, options: dict[str, Any], tile: Tile
) -> tuple[Tile, int, float]:
    """Builds one tile on a worker and puts it into the folder."""
    start = time.perf_counter()
    key = repr((scenes, sorted(entries.items()), folder))
    if key not in _KEPT:
        local = tempfile.mkdtemp(prefix="waymesh-")
        files = _fetch(scenes, os.path.join(local, "scene"), options)
        tiles = os.path.join(local, "tiles")
        _KEPT.clear()
        # A cluster runs a task per core.
        job = _waymesh.TileJob(files, {"threads": 1, **entries, "folder": tiles})
        _KEPT[key] = (job, tiles)
    job, tiles = _KEPT[key]
    built = job.build(*tile)
    store = _Store(folder, options)
    store.upload(str(built), os.path.basename(built))
    os.remove(built)
    return tile, os.getpid(), time.perf_counter() - start


def seconds_with(figures: Figures, workers: int) -> float:
    """What a bake would take with this many workers, by the parts that were measured: the serial parts stay."""
    return figures.survey + figures.work / workers + figures.merge
