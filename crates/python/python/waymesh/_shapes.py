"""Triangles of solids and of faces with any number of corners, for readers of scenes. Faces look outward, z is the axis."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Faces = NDArray[np.int64]
Body = tuple[Floats, Faces]
"""Vertices, (n, 3), and triangles, (m, 3)."""

_SIDES = 32
"""Sides of round solids. They contain the solid and lie outside of it by at most 0.5 % of its radius."""
_MAX_CORNERS = 10_000
"""Most corners of a face that is not convex: the cut takes the square of their number, which is some seconds for this many."""


def box(size: Sequence[float]) -> Body:
    """Returns a box around the origin."""
    x, y, z = (side / 2 for side in size)
    return prism([[-x, -y], [x, -y], [x, y], [-x, y]], -z, z)


def plane(width: float, length: float) -> Body:
    """Returns a rectangle around the origin that faces z."""
    x, y = width / 2, length / 2
    return np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]]), np.array([[0, 1, 2], [0, 2, 3]])


def prism(corners: ArrayLike, low: float, high: float) -> Body:
    """Returns the solid over a simple polygon of corners (x, y), from one height to another."""
    outline = np.asarray(corners, dtype=np.float64)
    count, after = len(outline), np.roll(outline, -1, axis=0)
    if (outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]).sum() < 0:
        outline = outline[::-1]
    vertices = np.concatenate([np.column_stack([outline, np.full(count, height)]) for height in (low, high)])
    ring = np.arange(count)
    following = np.roll(ring, -1)
    sides = np.column_stack([ring, following, following + count, ring, following + count, ring + count]).reshape(-1, 3)
    top, _ = triangulate(vertices, np.array([count]), ring + count)
    return vertices, np.concatenate([sides, top, top[:, ::-1] - count])


def cylinder(radius: float, height: float, top: float | None = None) -> Body:
    """Returns a cylinder around the origin, or with another radius at its top a cone."""
    end = radius if top is None else top
    return _revolved([(0.0, -height / 2), (radius, -height / 2), (end, height / 2), (0.0, height / 2)])


def capsule(radius: float, height: float, top: float | None = None) -> Body:
    """Returns a cylinder with half spheres at its ends, around the origin. Without height it is a sphere."""
    end = radius if top is None else top
    angles = np.linspace(0.0, math.pi / 2, _SIDES // 4 + 1)
    lower = [(radius * math.sin(angle), -height / 2 - radius * math.cos(angle)) for angle in angles]
    upper = [(end * math.cos(angle), height / 2 + end * math.sin(angle)) for angle in angles]
    # The middles of both are one circle in a sphere.
    return _revolved(lower[: None if height else -1] + upper)


def _revolved(profile: list[tuple[float, float]]) -> Body:
    """Returns the solid between the axis and a profile of radii and heights, from below."""
    angles = np.arange(_SIDES) * 2 * math.pi / _SIDES
    round_ = np.column_stack([np.cos(angles), np.sin(angles)]) / math.cos(math.pi / _SIDES)
    vertices = np.concatenate([np.column_stack([radius * round_, np.full(_SIDES, height)]) for radius, height in profile])
    ring, faces = np.arange(_SIDES), [np.zeros((0, 3), dtype=np.int64)]
    for level, ((lower, _), (upper, _)) in enumerate(zip(profile, profile[1:])):
        a, b = level * _SIDES + ring, level * _SIDES + np.roll(ring, -1)
        if lower > 1e-12 * upper:
            faces.append(np.column_stack([a, b, b + _SIDES]))
        if upper > 1e-12 * lower:
            faces.append(np.column_stack([a, b + _SIDES, a + _SIDES]))
    return vertices, np.concatenate(faces)


def transformed(body: Body, matrix: Floats) -> Body:
    """Returns a body moved by a matrix, (4, 4), for columns. Faces keep their outer side where it mirrors."""
    vertices, faces = body
    moved: Floats = vertices @ matrix[:3, :3].T + matrix[:3, 3]
    return moved, faces[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else faces


def triangulate(points: Floats, counts: Faces, corners: Faces) -> tuple[Faces, Faces]:
    """Cuts faces into triangles: returns these, (m, 3), and the number of the face of each.

    ``counts`` are the numbers of corners of the faces, ``corners`` the vertices of all of them. Faces may be concave; those with fewer
    than three corners are left out. Raises ``ValueError`` for a concave face of more than 10,000 corners.
    """
    starts = np.cumsum(counts) - counts
    faces, of = [np.zeros((0, 3), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for count in np.unique(counts[counts >= 3]):
        chosen = np.flatnonzero(counts == count)
        rings = corners[starts[chosen, None] + np.arange(count)]
        fans = np.stack([np.repeat(rings[:, :1], count - 2, axis=1), rings[:, 1:-1], rings[:, 2:]], axis=-1)
        if count > 3:
            a, b, c = (points[fans[..., corner]] for corner in range(3))
            across = np.cross(b - a, c - a)
            total = across.sum(axis=1)
            for face in np.flatnonzero(np.any((across * total[:, None]).sum(axis=-1) < 0, axis=1)):
                fans[face] = rings[face][_ears(_flat(points[rings[face]], total[face]))]
        faces.append(fans.reshape(-1, 3))
        of.append(np.repeat(chosen, count - 2))
    return np.concatenate(faces), np.concatenate(of)


def _flat(ring: Floats, normal: Floats) -> Floats:
    """Returns corners, (n, 3), in the plane of their normal: seen from there, (n, 2)."""
    first, second = [(1, 2), (2, 0), (0, 1)][int(np.abs(normal).argmax())]
    flat: Floats = ring[:, [first, second]] if normal[np.abs(normal).argmax()] > 0 else ring[:, [second, first]]
    return flat


def _ears(ring: Floats) -> Faces:
    """Returns the triangles of a simple polygon, (n, 2), counterclockwise, as corners, (n - 2, 3)."""
    if len(ring) > _MAX_CORNERS:
        raise ValueError(f"a concave face has {len(ring)} corners, more than {_MAX_CORNERS}")
    left, found, at, misses = list(range(len(ring))), [], 0, 0
    # Corners on an edge of a triangle, within the rounding of its area, are in it; those at its corners are not.
    rounding = -1e-12 * np.ptp(ring, axis=0).max() ** 2
    while len(left) > 3:
        at %= len(left)
        a, b, c = left[at - 1], left[at], left[(at + 1) % len(left)]
        rest, (p, q, r) = ring[left], ring[[a, b, c]]
        inside = np.min([_side(p, q, rest), _side(q, r, rest), _side(r, p, rest)], axis=0) >= rounding
        others = (rest != p).any(axis=1) & (rest != q).any(axis=1) & (rest != r).any(axis=1)
        is_ear = _side(p, q, r) > 0 and not np.any(inside & others)
        # A polygon that crosses itself has corners left without an ear: any is cut.
        if is_ear or misses > len(left):
            found.append((a, b, c))
            del left[at]
            at, misses = at - 1, 0
        else:
            at, misses = at + 1, misses + 1
    return np.array([*found, tuple(left)])


def _side(a: Floats, b: Floats, points: Floats) -> Floats:
    """Returns numbers above 0 for points, (..., 2), to the left of the line from a to b."""
    sides: Floats = (b[0] - a[0]) * (points[..., 1] - a[1]) - (b[1] - a[1]) * (points[..., 0] - a[0])
    return sides
