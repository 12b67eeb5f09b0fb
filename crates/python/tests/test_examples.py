"""The programs of the folder `examples`: at most 30 lines each, and they run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
MAX_LINES = 30


def lines(example: Path) -> list[str]:
    text = example.read_text()
    if example.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
    return [line for line in text.splitlines() if line.strip()]


def run(name: str, folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, EXAMPLES / name, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_short_and_is_run() -> None:
    found = [file for file in EXAMPLES.iterdir() if file.suffix in (".py", ".ipynb")]
    # The node of ROS runs in the tests of its package.
    assert {file.name for file in found} == {*ALONE, "wheelchair.py", "notebook.ipynb", "ros_node.py"}
    assert {file.name: len(lines(file)) for file in found if len(lines(file)) > MAX_LINES} == {}


ALONE = {
    "areas_of_trimesh.py": "trimesh",
    "crowd.py": "numpy",
    "data_loader.py": "numpy",
    "episodes.py": "numpy",
    "habitat_port.py": "numpy",
    "killed_worker.py": "ray",
    "two_storeys.py": "numpy",
}
"""Examples that need no file, and the package that they need."""


@pytest.mark.parametrize("name", ALONE)
def test_an_example(name: str, tmp_path: Path) -> None:
    pytest.importorskip(ALONE[name])
    assert run(name, tmp_path).strip()


def test_a_wheelchair_in_a_building(tmp_path: Path) -> None:
    pytest.importorskip("ifcopenshell")
    from test_ifc import Model, two_rooms

    said = run("wheelchair.py", tmp_path, str(two_rooms(Model(), width=1.2).write(tmp_path)))
    assert "door door" in said and "lift" in said and "from west to east" in said
    assert (tmp_path / "wheelchair.svg").read_text().startswith("<svg")


def test_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    cells = json.loads((EXAMPLES / "notebook.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "notebook.ipynb", "exec"), names)
    assert names["change"] in ("kept", "repaired", "replanned")
