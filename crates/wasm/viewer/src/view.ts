// The picture: a scene of three.js with a group for each layer.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Point } from "./project";

/** A place under the pointer. */
export interface Hit {
  point: THREE.Vector3;
  object: THREE.Object3D;
  /** Number of the agent that was hit. */
  instanceId?: number | undefined;
}

/** How far things are drawn above the ground that they lie on, in metres. */
export const LIFT = 0.06;

/** Faces whose normal is more level than this are walls for what is put down. */
const GENTLE = 0.35;
/** Share of the picture that the level fills. */
const FILLED = 0.86;

/**
 * Draws a material as if it were a level of the grid nearer to the eye: the mesh is within a level
 * of the ground, which does not poke through it then.
 */
export function nearer<M extends THREE.Material>(material: M): M {
  const moved = `{
    float depth = mvPosition.z + min(0.22, -0.5 * mvPosition.z);
    vec4 nearer = projectionMatrix * vec4(0.0, 0.0, depth, 1.0);
    gl_Position.z = nearer.z / nearer.w * gl_Position.w;
  }
  #include <logdepthbuf_vertex>`;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <logdepthbuf_vertex>", moved);
  };
  return material;
}

export class View {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly controls: OrbitControls;
  /** Runs when the colours of the page change between light and dark. */
  onDress: () => void = () => {};
  #perspective = new THREE.PerspectiveCamera(50, 1, 0.1, 5000);
  #plan = new THREE.OrthographicCamera();
  #layers = new Map<string, THREE.Group>();
  #bounds = new THREE.Box3();
  #lines = new Set<LineMaterial>();
  #isDrawn = false;
  #dark = matchMedia("(prefers-color-scheme: dark)");
  /** Layers that only the left half shows, and only the right half; `null` for one picture. */
  #split: { left: string[]; right: string[] } | null = null;
  /** Layers that one picture does not show. */
  #apart: string[] = [];
  #above = new THREE.Plane(new THREE.Vector3(0, -1, 0), 1e9);
  #below = new THREE.Plane(new THREE.Vector3(0, 1, 0), 1e9);

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.clippingPlanes = [this.#above, this.#below];
    this.controls = new OrbitControls(this.#perspective, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.controls.listenToKeyEvents(canvas);
    this.controls.keyPanSpeed = 25;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x667766, 2.2));
    const sun = new THREE.DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.4, 1, 0.25);
    this.scene.add(sun);
    this.#dark.addEventListener("change", () => {
      this.#dress();
      this.onDress();
    });
    this.#dress();
    new ResizeObserver(() => this.#fit()).observe(canvas.parentElement ?? canvas);
  }

  /** The colour of walls: dark on a light page, light on a dark one. */
  get ink(): number {
    return this.#dark.matches ? 0xdfe9e2 : 0x14261d;
  }

  get camera(): THREE.Camera {
    return this.isPlan ? this.#plan : this.#perspective;
  }

  /** `true` if the level is seen straight from above, without perspective. */
  get isPlan(): boolean {
    return this.controls.object === this.#plan;
  }

  #dress(): void {
    this.scene.background = new THREE.Color(this.#dark.matches ? 0x151a18 : 0xe9ece8);
    this.draw();
  }

  get #aspect(): number {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement ?? this.canvas;
    return width / this.#halves / Math.max(height, 1);
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement ?? this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.#perspective.aspect = this.#aspect;
    [this.#plan.left, this.#plan.right] = [-this.#plan.top * this.#aspect, this.#plan.top * this.#aspect];
    for (const camera of [this.#perspective, this.#plan]) camera.updateProjectionMatrix();
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
      (one as THREE.MeshLambertMaterial).map?.dispose();
      one.dispose();
    }
    if (part instanceof THREE.InstancedMesh) part.dispose();
  }

  /** Lets light through a layer, or draws it as it was. */
  fade(name: string, opacity: number): void {
    this.layer(name).traverse((part) => {
      for (const material of [(part as THREE.Mesh).material].flat()) {
        if (!material) continue;
        const own = (material.userData["opacity"] ??= material.opacity) as number;
        Object.assign(material, { transparent: own * opacity < 1, opacity: own * opacity, depthWrite: opacity === 1, needsUpdate: true });
      }
    });
    this.draw();
  }

  /** Where the level is, and how large. */
  get bounds(): THREE.Box3 {
    return this.#bounds;
  }

  /** Shows all of the level, from above and at a slant, or straight from above in plan. */
  frame(bounds = this.#bounds): void {
    this.#bounds = bounds.clone();
    const middle = bounds.getCenter(new THREE.Vector3());
    const half = bounds.getSize(new THREE.Vector3()).divideScalar(2);
    const reach = Math.max(half.length(), 1);
    const ahead = this.isPlan ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(-0.3, -1.55, -1.35).normalize();
    const right = this.isPlan ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3().crossVectors(ahead, new THREE.Vector3(0, 1, 0)).normalize();
    const up = new THREE.Vector3().crossVectors(right, ahead);
    const extent = (axis: THREE.Vector3) => Math.abs(axis.x) * half.x + Math.abs(axis.y) * half.y + Math.abs(axis.z) * half.z;
    if (this.isPlan) {
      this.#plan.top = Math.max(extent(up), extent(right) / this.#aspect, 1) / FILLED;
      this.#plan.bottom = -this.#plan.top;
      Object.assign(this.#plan, { near: 0, far: 20 * reach, zoom: 1 });
      this.controls.object.position.copy(middle).addScaledVector(ahead, -10 * reach);
    } else {
      const tall = Math.tan((this.#perspective.fov * Math.PI) / 360) * FILLED;
      let distance = 1;
      for (let corner = 0; corner < 8; corner += 1) {
        const at = new THREE.Vector3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z);
        const least = Math.max(Math.abs(at.dot(up)) / tall, Math.abs(at.dot(right)) / (tall * this.#aspect));
        distance = Math.max(distance, least - at.dot(ahead));
      }
      Object.assign(this.#perspective, { near: reach / 200, far: reach * 40 });
      this.#perspective.position.copy(middle).addScaledVector(ahead, -distance);
    }
    this.controls.target.copy(middle);
    this.controls.update();
    this.#fit();
  }

  /** Changes between a plan and a perspective. */
  setPlan(is: boolean): void {
    if (is === this.isPlan) return;
    this.controls.object = is ? this.#plan : this.#perspective;
    this.controls.enableRotate = !is;
    // A camera that looks straight down has its upper side towards the north.
    this.#plan.up.set(0, 0, -1);
    this.frame();
  }

  /** Position and target of the camera; `null` for a plan. */
  get eye(): [Point, Point] | null {
    return this.isPlan ? null : [this.#perspective.position.toArray(), this.controls.target.toArray()];
  }

  set eye(given: [Point, Point] | null) {
    if (!given || this.isPlan) return;
    this.#perspective.position.fromArray(given[0]);
    this.controls.target.fromArray(given[1]);
    this.controls.update();
    this.draw();
  }

  /** Moves the camera along, to look at a place. */
  lookAt(at: THREE.Vector3): void {
    const by = at.clone().sub(this.controls.target);
    this.controls.object.position.add(by);
    this.controls.target.copy(at);
    this.controls.update();
    this.draw();
  }

  /** Shows only what is between two heights. */
  cut(low: number, high: number): void {
    [this.#below.constant, this.#above.constant] = [-low, high];
    this.draw();
  }

  zoom(factor: number): void {
    if (this.isPlan) {
      this.#plan.zoom /= factor;
      this.#plan.updateProjectionMatrix();
    } else this.#perspective.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  #ray({ clientX, clientY }: { clientX: number; clientY: number }): THREE.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    // Both halves show the same places.
    const share = (((clientX - box.left) / box.width) * this.#halves) % 1;
    const ray = new THREE.Raycaster();
    this.camera.updateMatrixWorld();
    ray.setFromCamera(new THREE.Vector2(share * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2), this.camera);
    return ray;
  }

  #hits(event: { clientX: number; clientY: number }, names: string[]): THREE.Intersection[] {
    // Layers that are off are not in the way.
    const layers = names.map((name) => this.layer(name)).filter(({ visible }) => visible);
    const found = this.#ray(event).intersectObjects(layers, true);
    return found.filter(({ point }) => point.y <= this.#above.constant && point.y >= -this.#below.constant);
  }

  /** What is under a place of the canvas, of these layers, the nearest that is not cut off. */
  hit(event: { clientX: number; clientY: number }, names: string[]): Hit | null {
    return this.#hits(event, names)[0] ?? null;
  }

  /**
   * The ground under a place of the canvas for what is put down or moved: the nearest that is no wall,
   * else the level plane at a height.
   */
  ground(event: { clientX: number; clientY: number }, names: string[], height = this.#bounds.min.y): Point | null {
    const level = this.layer("scene");
    const isGround = ({ face, object }: THREE.Intersection) => {
      const up = face?.normal.clone().transformDirection(object.matrixWorld).y ?? 0;
      // The bottom of a body that stands on the ground is none.
      let part: THREE.Object3D | null = object;
      while (part && part !== level) part = part.parent;
      return (part ? up : Math.abs(up)) >= GENTLE;
    };
    const found = this.#hits(event, names).find(isGround);
    if (found) return found.point.toArray();
    if (!Number.isFinite(height)) return null;
    const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), -height);
    return this.#ray(event).ray.intersectPlane(plane, new THREE.Vector3())?.toArray() ?? null;
  }

  /** The height of the highest part of the level at a place of the plan, if there is one. */
  top(x: number, z: number): number | null {
    const ray = new THREE.Raycaster(new THREE.Vector3(x, this.#bounds.max.y + 1, z), new THREE.Vector3(0, -1, 0));
    return ray.intersectObject(this.layer("scene"), true)[0]?.point.y ?? null;
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
    this.camera.updateMatrixWorld();
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
    const material = nearer(new LineMaterial({ color: colour, linewidth: width, clipping: true }));
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
