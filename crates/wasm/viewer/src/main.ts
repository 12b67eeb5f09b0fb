// The page: its rooms are wired here.
import init, { Scene, partModules } from "waymesh";
import moduleAddress from "waymesh/waymesh_bg.wasm?url";
import { bake, cancel, later, paint, startBaker } from "./bakes";
import { listenToCanvas } from "./clicks";
import { listenToCompare } from "./compare";
import { crowdHooks, listenToCrowd } from "./crowd";
import type { Point } from "./link";
import type { AnySettings } from "./messages";
import { removeObstacles } from "./obstacles";
import { openBuiltin, openExample, openFile, openFirst } from "./open";
import { complain, find } from "./page";
import { dropCorner, listenToPainter } from "./painter";
import { judgeHooks, listenToJudge } from "./judge";
import { search, showRadius } from "./path";
import { save } from "./save";
import { knobs, pipeline, remember, state, view, when } from "./state";
import { makeSwitches, peel } from "./switches";
import { listenToTour } from "./tour";
import { listenToWhy } from "./why";
import "./style.css";

/** Scenes of more triangles than this are not in the list: they take minutes in a page. */
const TOO_LARGE = ["city", "buildings", "offshore", "subway"];

const onClick = (selector: string, run: () => void) => find(selector).addEventListener("click", run);

async function start(): Promise<void> {
  const compiling = WebAssembly.compileStreaming(fetch(moduleAddress));
  const loading = init({ module_or_path: compiling, parts: "all" });
  const module = await compiling;
  await loading;
  startBaker(module, partModules());
  const list = find<HTMLSelectElement>("#scene");
  for (const { name, summary } of Scene.builtins()) {
    if (!TOO_LARGE.includes(name)) list.add(Object.assign(new Option(name.replaceAll("-", " "), name), { title: summary }));
  }
  list.addEventListener("change", () => {
    if (list.value) void openBuiltin(list.value);
  });
  makeSwitches();
  knobs.show("voxels");
  listenToCanvas();
  listenToPanel();
  listenToCompare();
  listenToCrowd();
  listenToJudge();
  listenToPainter();
  listenToTour();
  listenToWhy();
  listenToFiles();
  await openFirst();
}

function listenToPanel(): void {
  when("knob", later);
  when("mesh", search);
  pipeline.addEventListener("change", () => {
    knobs.show(pipeline.value as "voxels");
    later();
  });
  onClick("#rebake", () => void bake());
  onClick("#cancel", cancel);
  onClick("#reset", () => knobs.reset());
  onClick("#clear", () => {
    state.points = [];
    search();
    remember();
  });
  onClick("#no-obstacles", removeObstacles);
  find("#colour").addEventListener("change", paint);
  find("#shortest").addEventListener("change", search);
  find("#radius").addEventListener("input", () => {
    showRadius();
    search();
    remember();
  });
  for (const input of document.querySelectorAll("input[name=tool]")) {
    input.addEventListener("change", () => {
      dropCorner();
      search();
    });
  }
  find("#peel").addEventListener("input", peel);
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-save]")) {
    button.addEventListener("click", () => void save(button.dataset["save"] ?? "").catch(complain));
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-example]")) {
    button.addEventListener("click", () => void openExample(button.dataset["example"] ?? ""));
  }
}

function listenToFiles(): void {
  const file = find<HTMLInputElement>("#file");
  file.addEventListener("change", () => {
    const [given] = file.files ?? [];
    if (given) void openFile(given).catch(complain);
    file.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) document.body.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [given] = event.dataTransfer?.files ?? [];
    if (given) void openFile(given).catch(complain);
  });
}

// What tests in a browser look at.
Object.assign(window, {
  waymeshViewer: {
    project: (at: Point) => view.project(at),
    /** Searches a path as two clicks do. */
    between(from: Point, to: Point) {
      state.points = [from, to];
      search();
      return find("#path").dataset["outcome"];
    },
    crowd: crowdHooks,
    judge: judgeHooks,
    get mesh() {
      return state.mesh;
    },
    get made() {
      return state.made;
    },
    get settings(): AnySettings {
      return knobs.settings;
    },
  },
});

start().catch(complain);
