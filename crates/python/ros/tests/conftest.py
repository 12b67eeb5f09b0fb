"""Maps and messages of the tests."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ros_types import InstalledMessages, Messages

Floats = NDArray[np.float64]


@pytest.fixture(scope="session", params=["installed", "ROS2_HUMBLE", "ROS2_JAZZY"])
def ros(request: pytest.FixtureRequest) -> Any:
    """Messages of an installation of ROS 2, and of the definitions of two distributions."""
    if request.param == "installed":
        pytest.importorskip("rclpy", reason="ROS 2 is not installed")
        return InstalledMessages()
    pytest.importorskip("rosbags", reason="rosbags is not installed")
    return Messages(request.param)


@dataclass
class Map:
    """A map of ROS. Row 0 of ``free`` is the lower one."""

    file: Path
    free: NDArray[np.bool_]
    resolution: float
    origin: Floats

    def distance(self, points: Floats) -> Floats:
        """Returns the distance of points to the nearest cell that is not free, or that the map does not have."""
        padded = np.pad(self.free, 1, constant_values=False)
        rows, columns = np.nonzero(~padded)
        low = self.origin + (np.stack([columns, rows], axis=1) - 1) * self.resolution
        blocks = []
        for block in np.array_split(points[:, :2], len(points) // 500 + 1):
            away = np.maximum(np.maximum(low - block[:, None], block[:, None] - low - self.resolution), 0.0)
            blocks.append(np.linalg.norm(away, axis=2).min(axis=1))
        return np.concatenate(blocks)

    def middles(self) -> Floats:
        """Returns the middles of all cells, of shape (rows, columns, 2)."""
        rows, columns = np.indices(self.free.shape)
        return self.origin + (np.stack([columns, rows], axis=2) + 0.5) * self.resolution


def write_map(folder: Path, picture: NDArray[np.uint8], resolution: float, origin: tuple[float, float, float]) -> Map:
    """Writes a map. Row 0 of its picture is the upper one; 0 is occupied, 205 unknown, 254 free."""
    rows, columns = picture.shape
    (folder / "map.pgm").write_bytes(b"P5\n%d %d\n255\n" % (columns, rows) + picture.tobytes())
    file = folder / "map.yaml"
    file.write_text(
        f"image: map.pgm\nmode: trinary\nresolution: {resolution}\norigin: {list(origin)}\nnegate: 0\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.196\n"
    )
    return Map(file, picture[::-1] == 254, resolution, np.array(origin[:2]))


@pytest.fixture(scope="session")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Map:
    """Three rooms with doors, pillars and cells that are unknown, and a room without a door."""
    picture = np.full((60, 90), 254, dtype=np.uint8)
    picture[[0, -1]] = picture[:, [0, -1]] = 0
    picture[:, 30] = picture[:, 60] = picture[40, 60:] = 0
    picture[10:22, 30] = picture[30:38, 60] = 254
    picture[50:54, 10:16] = 205
    pillars = np.random.default_rng(7).integers((4, 4), (56, 86), (14, 2))
    for row, column in pillars:
        picture[row : row + 2, column : column + 2] = 0
    return write_map(tmp_path_factory.mktemp("rooms"), picture, 0.1, (-3.3, 2.7, 0.0))
