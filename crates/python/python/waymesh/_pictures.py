"""Pictures of meshes: methods of NavMesh that are not native."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import shown as shown_value, write
from ._errors import InputError
from ._exports import METHODS, plan_axes, up_axis
from ._types import Rows
from ._waymesh import NavMesh, Path, PolygonFilter

if TYPE_CHECKING:
    from collections.abc import Sequence


class Picture:
    """An SVG picture that notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, file: str | PathLike[str]) -> None:
        """Writes the picture to a file."""
        write(file, self.svg.encode())


def show(mesh: NavMesh, path: Path | None = None, *, pixels: float = 600.0) -> Picture:
    """Returns a plan picture, a panel per storey, which a notebook shows."""
    return Picture(mesh.to_svg(path, pixels))


def repr_html(mesh: NavMesh) -> str:
    return mesh.to_svg(None, 600.0)


def plot(
    mesh: NavMesh,
    path: Path | ArrayLike | None = None,
    *,
    points: ArrayLike | None = None,
    storey: int | None = None,
    color_by: str = "island",
    axes: Any = None,
) -> Any:
    """Draws the mesh in plan with matplotlib: a panel per storey, polygons in the colour of their island (``color_by="island"``),
    area (``"area"``) or storey (``"storey"``), walls dark, links orange (dotted if they are closed), a path and points on top.
    Lengths are in metres. Returns the axes: one, or a list of them.
    """
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection, PolyCollection

    colours: dict[str, Any] = {"island": mesh.polygon_islands, "area": mesh.polygon_areas, "storey": mesh.polygon_storeys}
    if color_by not in colours:
        raise InputError(f"color_by is {color_by!r}, but must be one of {', '.join(colours)}")
    numbers, storeys = colours[color_by], mesh.polygon_storeys
    there_are = storeys[mesh.polygon_areas > 0]
    shown: Sequence[int] = sorted(set(there_are.tolist()))
    if storey is not None:
        if storey not in shown:
            raise InputError(f"storey is {storey}, but must be one of {shown}")
        shown = [storey]
    across, along = plan_axes(mesh)
    plan = mesh.vertices[:, [across, along]]
    if axes is None:
        _, panels = plt.subplots(1, max(len(shown), 1), squeeze=False, sharex=True, sharey=True, layout="constrained")
        panels = list(panels[0])
    else:
        panels = list(np.atleast_1d(np.asarray(axes, dtype=object)))
        if len(panels) == 1:
            panels = panels * max(len(shown), 1)
        if len(panels) < max(len(shown), 1):
            raise InputError(f"axes are {len(panels)}, but must be one, or one for each of {len(shown)} storeys")
    palette, links = plt.get_cmap("tab20"), mesh.links
    lines: Any = getattr(path, "points", path)
    for panel, number in zip(panels, shown):
        there = np.flatnonzero(storeys == number)
        outlines = [plan[mesh_polygon] for mesh_polygon in _corners(mesh, there)]
        faces = [palette(int(numbers[polygon]) % 20) for polygon in there]
        panel.add_collection(PolyCollection(outlines, facecolors=faces, edgecolors="white", linewidths=0.4, alpha=0.6))
        of_storey = set(np.concatenate(_corners(mesh, there)).tolist()) if len(there) else set()
        walls = [plan[wall] for wall in mesh.walls.tolist() if wall[0] in of_storey]
        panel.add_collection(LineCollection(walls, colors="0.15", linewidths=1.0))
        for is_open, style in ((True, "-"), (False, ":")):
            # The ends of lifts and stairs are on two storeys.
            here = [link for link in links if link["is_open"] == is_open and number in storeys[[*link["polygons"]]]]
            ends = np.array([[link["start"], link["end"]] for link in here]).reshape(-1, 2, 2, 3)[..., [across, along]]
            # Both ends of a door may be one segment; those of a jump may be points.
            lines_of = np.concatenate([ends.reshape(-1, 2, 2), ends.mean(axis=2)])
            panel.add_collection(LineCollection([*lines_of], colors="darkorange", linewidths=2.0, linestyles=style, capstyle="round"))
        if len(shown) > 1:
            panel.set_title(f"storey {number}")
        panel.set_aspect("equal")
        panel.autoscale_view()
    if not shown:
        panels[0].set_aspect("equal")
    for panel in panels:
        panel.set_xlabel("x [m]")
        panel.set_ylabel(f"{'xyz'[along]} [m]")
        if lines is not None:
            line = _rows("path", lines)
            panel.plot(line[:, across], line[:, along], color="crimson", linewidth=2)
        if points is not None:
            dots = _rows("points", points)
            panel.plot(dots[:, across], dots[:, along], ".", color="black", markersize=3)
    # Plan pictures have x to the right and z down, or y up, as the map of a level seen from above.
    if up_axis(mesh) == 1 and not panels[0].yaxis_inverted():
        panels[0].invert_yaxis()
    return panels[0] if len(panels) == 1 else panels


def _rows(name: str, points: Any) -> NDArray[np.float32]:
    try:
        return np.asarray(points, dtype=np.float32).reshape(-1, 3)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be numbers of shape (n, 3), not {shown_value(points)}") from None


def _corners(mesh: NavMesh, polygons: Any) -> list[Any]:
    corners = mesh.polygons
    return [corners[polygon] for polygon in polygons]


def save_glb(mesh: NavMesh, file: str | PathLike[str], *, detail: bool = False) -> None:
    """Writes the polygons, or the ground with its heights, as a GLB model with a colour per island."""
    write(file, mesh.to_glb(detail))


def random_points(
    mesh: NavMesh, count: int, *, seed: int = 0, island: int | None = None, allowed: PolygonFilter | None = None
) -> Rows:
    """Returns ``count`` random points, uniform over the plan area, as an array of shape (count, 3)."""
    return mesh.sampler(seed, island, allowed).points(count)


def largest_island(mesh: NavMesh) -> int:
    """The number of the island with the largest area; -1 for a mesh without polygons."""
    areas = [mesh.island_area(island) for island in range(mesh.island_count)]
    return int(np.argmax(areas)) if areas else -1


def install() -> None:
    """Makes the functions above methods of NavMesh. The native class takes attributes because it allows subclasses."""
    for name, method in [
        ("show", show),
        ("plot", plot),
        ("save_glb", save_glb),
        ("random_points", random_points),
        ("_repr_html_", repr_html),
        *METHODS.items(),
    ]:
        setattr(NavMesh, name, method)
    setattr(NavMesh, "largest_island", property(largest_island))
