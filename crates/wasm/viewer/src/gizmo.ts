// Handles with which the selected thing is moved, turned and resized.
import * as THREE from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import { view } from "./state";

type Mode = "translate" | "rotate" | "scale";

class Gizmo {
  /** Runs while the thing is dragged, and once more when it is let go. */
  onChange: (drawn: THREE.Object3D, isDone: boolean) => void = () => {};
  #controls = new TransformControls(view.camera, view.canvas);
  #drawn: THREE.Object3D | null = null;
  #mode: Mode | null = null;

  constructor() {
    const controls = this.#controls;
    controls.setSize(0.7);
    view.scene.add(controls.getHelper());
    controls.addEventListener("change", () => view.draw());
    controls.addEventListener("dragging-changed", ({ value }) => {
      view.controls.enabled = value !== true;
      if (value !== true && controls.object) this.onChange(controls.object, true);
    });
    controls.addEventListener("objectChange", () => {
      if (controls.object && controls.mode !== "scale") this.onChange(controls.object, false);
    });
  }

  /** `true` while the pointer is on a handle. */
  get isHeld(): boolean {
    return this.#drawn !== null && this.#mode !== null && this.#controls.axis !== null;
  }

  /** Says what the handles are for. They are shown once it is chosen what they do. */
  attach(drawn: THREE.Object3D | null): void {
    this.#drawn = drawn;
    if (!drawn) this.#mode = null;
    this.#show();
  }

  get mode(): Mode | null {
    return this.#mode;
  }

  #show(): void {
    const [drawn, mode] = [this.#drawn, this.#mode];
    this.#controls.camera = view.camera;
    if (!drawn || !mode) {
      this.#controls.detach();
      view.draw();
      return;
    }
    this.#controls.attach(drawn);
    this.#controls.setMode(mode);
    // Things stand upright.
    [this.#controls.showX, this.#controls.showZ] = [mode !== "rotate", mode !== "rotate"];
    view.draw();
  }

  /** Chooses what the handles do; the same again takes them away. */
  setMode(mode: Mode): void {
    this.#mode = this.#mode === mode ? null : mode;
    this.#show();
  }
}

export const gizmo = new Gizmo();
