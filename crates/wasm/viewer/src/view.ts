// The picture: a scene of three.js with a group for each layer.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

/** A place under the pointer. */
export interface Hit {
  point: THREE.Vector3;
  object: THREE.Object3D;
}

/**
 * How far things are drawn above the ground that they lie on, in metres: the mesh is within a level
 * of it.
 */
export const LIFT = 0.12;

export class View {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(50, 1, 0.1, 5000);
  readonly controls: OrbitControls;
  #layers = new Map<string, THREE.Group>();
  #bounds = new THREE.Box3();
  #lines = new Set<LineMaterial>();
  #isDrawn = false;
  #dark = matchMedia("(prefers-color-scheme: dark)");
  /** Layers that only the left half shows, and only the right half; `null` for one picture. */
  #split: { left: string[]; right: string[] } | null = null;
  /** Layers that one picture does not show. */
  #apart: string[] = [];
  #peel = new THREE.Plane(new THREE.Vector3(0, -1, 0), 1e9);

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.clippingPlanes = [this.#peel];
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.listenToKeyEvents(canvas);
    this.controls.keyPanSpeed = 25;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x667766, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.4, 1, 0.25);
    this.scene.add(sun);
    this.#dark.addEventListener("change", () => this.#dress());
    this.#dress();
    new ResizeObserver(() => this.#fit()).observe(canvas.parentElement ?? canvas);
  }

  #dress(): void {
    this.scene.background = new THREE.Color(this.#dark.matches ? 0x151a18 : 0xe9ece8);
    this.draw();
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement ?? this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / this.#halves / height;
    this.camera.updateProjectionMatrix();
    for (const material of this.#lines) material.resolution.set(width, height);
    this.draw();
  }

  /** Draws at the next frame. */
  draw(): void {
    if (this.#isDrawn) return;
    this.#isDrawn = true;
    requestAnimationFrame(() => {
      this.#isDrawn = false;
      this.#render();
    });
  }

  /** How many pictures are beside each other. */
  get #halves(): number {
    return this.#split ? 2 : 1;
  }

  get isSplit(): boolean {
    return this.#split !== null;
  }

  /** Shows layers in halves of their own, or one picture without the layers `apart`. */
  split(halves: { left: string[]; right: string[] } | null, apart: string[]): void {
    [this.#split, this.#apart] = [halves, apart];
    this.#fit();
    this.draw();
  }

  #render(): void {
    const { width, height } = this.renderer.getSize(new THREE.Vector2());
    const pictures = this.#split ? [this.#split.right, this.#split.left] : [this.#apart];
    this.renderer.setScissorTest(pictures.length > 1);
    for (const [index, hidden] of pictures.entries()) {
      const groups = hidden.map((name) => this.layer(name)).filter(({ visible }) => visible);
      for (const group of groups) group.visible = false;
      const box = [(index * width) / pictures.length, 0, width / pictures.length, height] as const;
      this.renderer.setViewport(...box);
      this.renderer.setScissor(...box);
      this.renderer.render(this.scene, this.camera);
      for (const group of groups) group.visible = true;
    }
  }

  /** The group of a layer. */
  layer(name: string): THREE.Group {
    let group = this.#layers.get(name);
    if (!group) {
      group = new THREE.Group();
      group.name = name;
      this.#layers.set(name, group);
      this.scene.add(group);
    }
    return group;
  }

  /** Puts these in place of what the layer had. */
  put(name: string, ...objects: THREE.Object3D[]): void {
    const group = this.layer(name);
    for (const child of [...group.children]) {
      group.remove(child);
      child.traverse((part) => this.#dispose(part));
    }
    if (objects.length > 0) group.add(...objects);
    this.draw();
  }

  #dispose(part: THREE.Object3D): void {
    const { geometry, material } = part as THREE.Mesh;
    geometry?.dispose();
    for (const one of [material].flat()) {
      if (!one) continue;
      if (one instanceof LineMaterial) this.#lines.delete(one);
      one.dispose();
    }
    if (part instanceof THREE.InstancedMesh) part.dispose();
  }

  /** Where the level is, and how large. */
  get bounds(): THREE.Box3 {
    return this.#bounds;
  }

  /** Shows all of the level from above, at a slant. */
  frame(bounds = this.#bounds): void {
    this.#bounds = bounds.clone();
    const middle = bounds.getCenter(new THREE.Vector3());
    const reach = Math.max(bounds.getSize(new THREE.Vector3()).length() / 2, 1);
    this.camera.near = reach / 200;
    this.camera.far = reach * 40;
    this.camera.position.copy(middle).add(new THREE.Vector3(0.3, 1.55, 1.35).multiplyScalar(reach));
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(middle);
    this.controls.update();
    this.draw();
  }

  /** Cuts off what is above this height. */
  peel(height: number): void {
    this.#peel.constant = height;
    this.draw();
  }

  zoom(factor: number): void {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  /** What is under a place of the canvas, of these layers, the nearest that is not cut off. */
  hit(event: { clientX: number; clientY: number }, names: string[]): Hit | null {
    const box = this.canvas.getBoundingClientRect();
    // Both halves show the same places.
    const share = (((event.clientX - box.left) / box.width) * this.#halves) % 1;
    const at = new THREE.Vector2(
      share * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    const found = ray.intersectObjects(names.map((name) => this.layer(name)), true);
    return found.find(({ point }) => point.y <= this.#peel.constant) ?? null;
  }

  /**
   * The place of the page under the middle of the picture, where keys point: that of the right half,
   * if there are two.
   */
  get middle(): { clientX: number; clientY: number } {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return { clientX: left + width * (1 - 0.5 / this.#halves), clientY: top + height / 2 };
  }

  /** Where a place of the level is on the page, in pixels: in the right half, if there are two. */
  project([x, y, z]: readonly [number, number, number]): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector3(x, y, z).project(this.camera);
    const share = (at.x + 1) / 2;
    return [box.left + ((this.#halves - 1 + share) / this.#halves) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  }

  /** A picture of the canvas as a file. */
  picture(): Promise<Blob | null> {
    this.#render();
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }

  /** Both ends of each segment, as lines of this width in pixels. */
  lines(ends: ArrayLike<number>, colour: number, width: number, lift = LIFT, isThrough = false): THREE.Object3D {
    if (ends.length === 0) return new THREE.Group();
    const geometry = new LineSegmentsGeometry().setPositions(Float32Array.from(ends));
    const material = new LineMaterial({ color: colour, linewidth: width, clipping: true });
    if (isThrough) Object.assign(material, { depthTest: false, transparent: true, opacity: 0.3 });
    const { clientWidth, clientHeight } = this.canvas;
    material.resolution.set(clientWidth || 1, clientHeight || 1);
    this.#lines.add(material);
    const lines = new LineSegments2(geometry, material);
    lines.position.y = lift;
    return lines;
  }
}

/** A colour for a number, the same each time, far from that of its neighbours. */
export function soft(number: number, target = new THREE.Color()): THREE.Color {
  return target.setHSL((number * 0.618034 + 0.36) % 1, 0.55, 0.55 + 0.08 * ((number % 3) - 1));
}

/** A colour for a share of 0 to 1, from blue over green to yellow. */
export function scale(share: number, target = new THREE.Color()): THREE.Color {
  return target.setHSL(0.66 - 0.52 * Math.min(Math.max(share, 0), 1), 0.65, 0.5);
}
