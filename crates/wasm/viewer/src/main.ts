// The page: its rooms are wired here.
import init, { Scene } from "waymesh";
import moduleAddress from "waymesh/waymesh_bg.wasm?url";
import { bake, later, paint, startBaker, stop } from "./bakes";
import { listenToCanvas } from "./clicks";
import { listenToCompare } from "./compare";
import { crowdHooks, listenToCrowd } from "./crowd";
import { listenToEditor } from "./editor";
import { judgeHooks, listenToJudge } from "./judge";
import { listenToLevel } from "./level";
import type { AnySettings } from "./messages";
import { openBuiltin, openExample, openFiles, openFirst } from "./open";
import { complain, find, listenToTabs } from "./page";
import { listenToPainter } from "./painter";
import { search, showRadius } from "./path";
import type { Point } from "./project";
import { save } from "./save";
import { gather, listenToSession } from "./session";
import { colourBy, knobs, pipeline, state, tell, view, when } from "./state";
import { makeSwitches } from "./switches";
import { listenToTour } from "./tour";
import { listenToWhy } from "./why";
import "./style.css";

/** Scenes of more triangles than this are not in the list: they take minutes in a page. */
const TOO_LARGE = ["city", "buildings", "offshore", "subway"];

const onClick = (selector: string, run: () => void) => find(selector).addEventListener("click", run);

async function start(): Promise<void> {
  // Servers that do not know the type of the module cannot stream it.
  const whole = async () => WebAssembly.compile(await (await fetch(moduleAddress)).arrayBuffer());
  const compiling = WebAssembly.compileStreaming(fetch(moduleAddress)).catch(whole);
  const loading = init({ module_or_path: compiling });
  const module = await compiling;
  await loading;
  startBaker(module);
  const list = find<HTMLSelectElement>("#scene");
  for (const { name, summary } of Scene.builtins()) {
    if (!TOO_LARGE.includes(name)) list.add(Object.assign(new Option(name.replaceAll("-", " "), name), { title: summary }));
  }
  list.addEventListener("change", () => {
    if (list.value) void openBuiltin(list.value);
  });
  makeSwitches();
  knobs.show("voxels");
  listenToTabs();
  if (matchMedia("(max-width: 640px)").matches) document.body.classList.add("folded");
  listenToCanvas();
  listenToPanel();
  listenToCompare();
  listenToCrowd();
  listenToEditor();
  listenToJudge();
  listenToLevel();
  listenToPainter();
  listenToTour();
  listenToWhy();
  listenToFiles();
  listenToSession();
  await openFirst();
}

function listenToPanel(): void {
  when("knob", later);
  when("mesh", () => {
    search();
    if (colourBy() === "distance") paint();
  });
  pipeline.addEventListener("change", () => {
    knobs.show(pipeline.value as "voxels");
    later();
  });
  onClick("#rebake", () => void bake());
  onClick("#cancel", stop);
  onClick("#reset", () => knobs.reset());
  for (const [name, event] of [["#shortest", "change"], ["#radius", "input"]] as const) {
    find(name).addEventListener(event, () => {
      showRadius();
      search();
      tell("edit");
    });
  }
  const menu = find<HTMLDetailsElement>("#save-menu");
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-save]")) {
    button.addEventListener("click", () => {
      void save(button.dataset["save"] ?? "");
      menu.open = button.dataset["save"] === "link";
    });
  }
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  });
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-example]")) {
    button.addEventListener("click", () => void openExample(button.dataset["example"] ?? ""));
  }
}

function listenToFiles(): void {
  const file = find<HTMLInputElement>("#file");
  file.addEventListener("change", () => {
    void openFiles([...(file.files ?? [])]);
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
    void openFiles([...(event.dataTransfer?.files ?? [])]);
  });
}

// What tests in a browser look at.
Object.assign(window, {
  waymeshViewer: {
    project: (at: Point) => view.project(at),
    /** Number of things that a layer shows. */
    drawn: (layer: string) => view.layer(layer).children.length,
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
    /** The work as a project file has it. */
    get work() {
      return gather();
    },
    get settings(): AnySettings {
      return knobs.settings;
    },
  },
});

// Nothing fails without a word. Defects of the page are in the console, too.
addEventListener("unhandledrejection", (event) => {
  complain(event.reason);
  if (!(event.reason instanceof TypeError || event.reason instanceof ReferenceError)) event.preventDefault();
});
addEventListener("error", ({ error }) => {
  if (error) complain(error);
});

void start();
