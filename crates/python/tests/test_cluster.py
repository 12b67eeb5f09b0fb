"""Bakes on a local Ray cluster, and in an object store."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import waymesh
from conftest import box, floor, join


SETTINGS = waymesh.Settings(cell_size=0.1, tile_cells=64)


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray: Any = pytest.importorskip("ray", reason="bakes on a cluster need ray")
    pytest.importorskip("fsspec", reason="bakes on a cluster need fsspec")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    crates = [box((x, 0, z), (x + 1, 2, z + 1)) for x in range(3, 28, 5) for z in range(3, 28, 5)]
    vertices, triangles = join(floor(30, 30), *crates)
    file = tmp_path_factory.mktemp("scene") / "yard.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    file.write_text("\n".join(lines))
    return file


def test_a_worker_is_killed_and_the_bytes_are_the_same(cluster: None, scene: Path, tmp_path: Path) -> None:
    from waymesh.ray import Figures, TileDone, bake

    workers: list[int] = []

    def kill_the_first(done: TileDone) -> None:
        workers.append(done.worker)
        if len(workers) == 1:
            os.kill(done.worker, signal.SIGKILL)

    figures = Figures()
    mesh = bake(str(scene), SETTINGS, folder=str(tmp_path), on_tile=kill_the_first, figures=figures)
    assert mesh.to_bytes() == waymesh.from_file(scene, waymesh.Settings(cell_size=0.1)).to_bytes()
    assert figures.built == 25 == len(workers) and figures.resumed == 0
    assert workers.count(workers[0]) < 25 and workers[0] not in workers[-5:]

    # Two tiles are lost, one is damaged.
    for name in ("tile_0_0.bin", "tile_3_4.bin"):
        (tmp_path / name).unlink()
    (tmp_path / "tile_2_2.bin").write_bytes(b"nonsense")
    again = bake(str(scene), SETTINGS, folder=str(tmp_path), figures=figures)
    assert again == mesh and (figures.built, figures.resumed) == (2, 23)
    # Other settings are refused before any task.
    (tmp_path / "tile_0_0.bin").unlink()
    figures = Figures()
    with pytest.raises(waymesh.TileError, match="other settings"):
        bake(str(scene), {"cell_size": 0.1, "tile_cells": 64, "max_step": 0.5}, folder=str(tmp_path), figures=figures)
    assert figures == Figures()


def test_an_object_store(cluster: None, scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs", reason="the object store needs s3fs")
    server_module: Any = pytest.importorskip("moto.server", reason="the object store needs moto")
    from waymesh.ray import bake

    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = {"key": "test", "secret": "test", "client_kwargs": {"endpoint_url": f"http://{host}:{port}"}}
        import s3fs

        files = s3fs.S3FileSystem(**options)
        files.mkdir("yard")
        files.put_file(str(scene), "yard/scene/yard.obj")
        mesh = bake("s3://yard/scene/yard.obj", SETTINGS, folder="s3://yard/tiles", storage_options=options)
        assert mesh.to_bytes() == waymesh.from_file(scene, waymesh.Settings(cell_size=0.1)).to_bytes()
        files.invalidate_cache()
        assert len(files.ls("yard/tiles")) == 26
    finally:
        server.stop()


def test_a_scene_is_read_once_for_all_tiles(scene: Path, tmp_path: Path) -> None:
    copy = tmp_path / "yard.obj"
    copy.write_bytes(scene.read_bytes())
    job = waymesh.TileJob([str(copy)], {"cell_size": 0.1, "tile_cells": 64, "folder": str(tmp_path / "tiles")})
    columns, rows = job.layout()
    job.build(0, 0)
    copy.unlink()
    for column in range(columns):
        for row in range(rows):
            job.build(column, row)
    other = waymesh.TileJob([str(scene)], {"cell_size": 0.1, "tile_cells": 64, "folder": str(tmp_path / "tiles")})
    assert other.merge(tmp_path / "tiles") == waymesh.from_file(scene, waymesh.Settings(cell_size=0.1))
    token = waymesh.CancelToken()
    token.cancel()
    with pytest.raises(waymesh.Cancelled):
        other.build(0, 0, cancel=token)
    with pytest.raises(waymesh.TileError, match="other settings"):
        waymesh.TileJob([str(scene)], {"cell_size": 0.1, "tile_cells": 64, "max_step": 0.5, "folder": str(tmp_path / "tiles")}).build(0, 0)


def test_settings_that_are_each_machines_own(scene: Path) -> None:
    pytest.importorskip("ray", reason="bakes on a cluster need ray")
    from waymesh.ray import bake

    with pytest.raises(waymesh.ConfigError, match="spill_folder"):
        bake(str(scene), {"spill_folder": "x"}, folder="y")
    with pytest.raises(waymesh.ConfigError, match="only voxels"):
        bake(str(scene), {"pipeline": "slices"}, folder="y")


def test_a_tile_job_in_one_process(scene: Path, tmp_path: Path) -> None:
    job = waymesh.TileJob([str(scene)], {"cell_size": 0.1, "tile_cells": 64, "folder": str(tmp_path)})
    assert job.layout() == pickle.loads(pickle.dumps(job)).layout() == (5, 5)
    manifest = job.manifest()
    assert (manifest["columns"], manifest["rows"], manifest["tile_cells"]) == (5, 5, 64)
    assert [tile["is_done"] for tile in manifest["tiles"]] == [False] * 25
    with pytest.raises(waymesh.TileError, match="no tile 5,0"):
        job.build(5, 0)
    with pytest.raises(waymesh.TileError):
        job.merge(tmp_path)
    assert os.path.exists(job.build(3, 2))
    with pytest.raises(waymesh.TileError, match="24 of 25 tiles are missing or damaged .*: 0,0 1,0 2,0"):
        job.merge(tmp_path)
    with pytest.raises(waymesh.TileError, match="index 2 of 2"):
        job.build_share(2, 2)
    built = [file for index in range(2) for file in job.build_share(index, 2)]
    assert sorted(map(os.path.basename, built)) == sorted(tile["file"] for tile in manifest["tiles"])
    assert all(tile["is_done"] for tile in job.manifest()["tiles"])
    assert job.merge(tmp_path) == waymesh.from_file(scene, waymesh.Settings(cell_size=0.1))
