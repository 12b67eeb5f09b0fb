"""What a type checker knows: mypy checks this file, and the test its claims."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import waymesh
from numpy.typing import NDArray
from waymesh._types import Bools, Bytes, IdRows, Ids, LinkEntry, Rows, Signed, Vector

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: Any, kind: Any) -> Any:
        """Compares the dimensions and the type of numbers of an array with those of its type."""
        arguments = getattr(kind, "__args__", ())
        if getattr(kind, "__origin__", None) is np.ndarray:
            assert (value.ndim, value.dtype) == (len(arguments[0].__args__), arguments[1].__args__[0]), kind
        elif kind in (int, float, bool):
            assert type(value) is kind, kind
        elif getattr(kind, "__origin__", None) is tuple:
            for part, of in zip(value, arguments, strict=True):
                assert_type(part, of)
        return value


def test_types_of_results(walled: waymesh.NavMesh) -> None:
    mesh = walled
    one, many = [2.0, 0.0, 4.0], [[2.0, 0.0, 4.0], [8.0, 0.0, 4.0]]
    rows, wide = mesh.random_points(3), np.zeros((3, 3))
    row, unknown = mesh.sampler().point(), np.asarray([2.0, 0.0, 4.0])
    assert_type(rows, Rows)
    assert_type(row, Vector)
    assert_type(mesh.distance(one, (1, 2, 3)), float)
    assert_type(mesh.distance(row, one), float)
    assert_type(mesh.distance(rows, one), Vector)
    assert_type(mesh.distance(one, wide), Vector)
    assert_type(mesh.distance(many, many), Vector)
    # Neither is known to be one point, or many.
    assert_type(mesh.distance(unknown, one), Any)
    assert_type(mesh.snap(unknown), Any)
    assert_type(mesh.snap(one), Vector)
    assert_type(mesh.snap(rows), Rows)
    assert_type(mesh.snap(many), Rows)
    assert_type(mesh.is_navigable(one), bool)
    assert_type(mesh.is_navigable(wide), Bools)
    assert_type(mesh.island_at(row), int)
    assert_type(mesh.polygon_at(rows), Signed)
    assert_type(mesh.raycast(one, one), tuple[float, Vector, bool, Vector])
    assert_type(mesh.raycast(one, rows), tuple[Vector, Rows, Bools, Rows])
    assert_type(mesh.step(one, one), Vector)
    assert_type(mesh.step(rows, rows), Rows)
    assert_type(mesh.nearest_wall(one), tuple[float, Vector, Vector])
    assert_type(mesh.nearest_wall(rows), tuple[Vector, Rows, Rows])
    assert_type(mesh.vertices, Rows)
    assert_type(mesh.walls, IdRows)
    assert_type(mesh.portals, IdRows)
    assert_type(mesh.polygon_areas, Bytes)
    assert_type(mesh.polygon_islands, Ids)
    assert_type(mesh.polygons[0], Ids)
    assert_type(mesh.bounds, Rows)
    assert_type(mesh.triangles(), tuple[Rows, IdRows])
    assert_type(mesh.triangle_polygons(), Ids)
    path, paths = mesh.find_path(one, one), mesh.find_paths(rows, rows)
    assert_type(path.points, Rows)
    assert_type(path.polygons, Ids)
    assert_type(paths.lengths, Vector)
    assert_type(paths.outcomes, Bytes)
    assert_type(paths[0].length, float)
    assert_type(paths[1:].points, Rows)
    assert_type(mesh.sampler().near(one, 1.0), Vector)
    assert_type(mesh.sampler().near(one, 1.0, 3), Rows)
    field = mesh.distance_field(rows)
    assert_type(field.distance(one), float)
    assert_type(field.distance(rows), Vector)
    assert_type(field.headings(rows), tuple[Signed, Vector, Rows])
    assert_type(mesh.filter(mesh.polygon_areas == 1).allowed, Bools)
    assert_type(mesh.agent["radius"], float)
    crowd = waymesh.Crowd(mesh)
    assert_type(crowd.add(one), int)
    assert_type(crowd.positions, Rows)
    # The same types with z up.
    assert_type(waymesh.ZUp(mesh).find_path([2, -4, 0], [2, -4, 0]).points, Rows)
    assert_type(waymesh.ZUp(waymesh.Corridor)(waymesh.ZUp(mesh), [2, -4, 0], [8, -4, 0]).position, Vector)


def wrong(mesh: waymesh.NavMesh, points: NDArray[np.float32]) -> None:
    """Mistakes that a type checker finds: each of these comments is an error of mypy if there is none."""
    mesh.path([0, 0, 0], [1, 0, 0])  # type: ignore[attr-defined]
    mesh.find_path([0, 0, 0], [1, 0, 0]).point  # type: ignore[attr-defined]
    mesh.find_path([0, 0, 0], [1, 0, 0])["points"]  # type: ignore[index]
    mesh.find_path([0, 0, 0], [1, 0, 0], radius="wide")  # type: ignore[arg-type]
    mesh.find_path([0, 0, 0], [1, 0, 0], allowed=points)  # type: ignore[arg-type]
    mesh.find_path([0, 0, 0], [1, 0, 0], longest=True)  # type: ignore[call-arg]
    mesh.distance([0, 0, 0], [1, 0, 0]).mean()  # type: ignore[attr-defined]
    for _ in mesh.distance([0, 0, 0], [1, 0, 0]):  # type: ignore[attr-defined]
        pass
    length: str = mesh.find_path([0, 0, 0], [1, 0, 0]).length  # type: ignore[assignment]
    if mesh.find_path([0, 0, 0], [1, 0, 0]).outcome == "done":  # type: ignore[comparison-overlap]
        print(length)
    distance, at = mesh.nearest_wall([0, 0, 0])  # type: ignore[misc]
    count: int = mesh.random_points(3)  # type: ignore[assignment]
    print(distance, at, count, mesh.find_nearest_goal([0, 0, 0], points)[0])  # type: ignore[index]
    mesh.links[0]["from"]  # type: ignore[typeddict-item]
    mesh.agent["width"]  # type: ignore[typeddict-item]
    link: LinkEntry = mesh.areas[1]  # type: ignore[assignment]
    waymesh.ZUp(mesh).find_path([0, 0, 0], link).points  # type: ignore[arg-type]
    waymesh.Corridor(mesh, [0, 0, 0], [1, 0, 0]).move_start()  # type: ignore[call-arg]


def test_arrays_of_the_stubs_have_types() -> None:
    """Results are Any only where an argument has an unknown shape."""
    stubs = ast.parse(Path(waymesh.__file__).with_name("_waymesh.pyi").read_text())
    untyped = []
    for class_ in (node for node in stubs.body if isinstance(node, ast.ClassDef)):
        for method in (node for node in class_.body if isinstance(node, ast.FunctionDef) and node.returns):
            arguments = [ast.unparse(it.annotation) for it in method.args.args if it.annotation]
            if ast.unparse(method.returns or method) == "Any" and not {"AnyShape", "ArrayLike"} & set(arguments):
                untyped.append(f"{class_.name}.{method.name}")
    # The axes of matplotlib.
    assert untyped == ["NavMesh.plot"]
