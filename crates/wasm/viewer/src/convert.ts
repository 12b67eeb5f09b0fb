// Other files of scenes, read by three.js: into the GLB that the package reads, and with the
// colours of the file for the picture.
import * as THREE from "three";
import type { Load } from "./messages";

/** Endings that only three.js reads. */
const CONVERTED = ["fbx", "dae", "3mf"];

/** Extensions of glTF that only three.js reads. */
const COMPRESSIONS = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/** The JSON of a glTF file. */
function header(name: string, bytes: Uint8Array): { extensionsRequired?: string[]; buffers?: { uri?: string }[] } | null {
  try {
    if (name.endsWith(".gltf")) return JSON.parse(new TextDecoder().decode(bytes));
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
    return JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  } catch {
    return null;
  }
}

/** Reads glTF with everything that three.js can decompress; other files are found among `files`. */
async function readGltf(name: string, bytes: Uint8Array, files: File[]): Promise<THREE.Object3D> {
  const [{ GLTFLoader }, { DRACOLoader }, { MeshoptDecoder }] = await Promise.all([
    import("three/examples/jsm/loaders/GLTFLoader.js"), import("three/examples/jsm/loaders/DRACOLoader.js"), import("three/examples/jsm/libs/meshopt_decoder.module.js"),
  ]);
  const urls: string[] = [];
  const manager = new THREE.LoadingManager();
  manager.setURLModifier((url) => {
    const wanted = decodeURIComponent(url.split(/[\\/]/).at(-1) ?? "");
    const file = files.find(({ name }) => name === wanted);
    if (!file) return url;
    urls.push(URL.createObjectURL(file));
    return urls.at(-1)!;
  });
  const draco = new DRACOLoader();
  const loader = new GLTFLoader(manager).setDRACOLoader(draco).setMeshoptDecoder(MeshoptDecoder);
  try {
    const content = name.endsWith(".gltf") ? new TextDecoder().decode(bytes) : (bytes.slice().buffer as ArrayBuffer);
    return (await loader.parseAsync(content, "")).scene;
  } finally {
    draco.dispose();
    for (const url of urls) URL.revokeObjectURL(url);
  }
}

async function readOther(ending: string, bytes: Uint8Array): Promise<THREE.Object3D> {
  const content = bytes.slice().buffer as ArrayBuffer;
  if (ending === "fbx") return new (await import("three/examples/jsm/loaders/FBXLoader.js")).FBXLoader().parse(content, "");
  if (ending === "3mf") return new (await import("three/examples/jsm/loaders/3MFLoader.js")).ThreeMFLoader().parse(content);
  const read = new (await import("three/examples/jsm/loaders/ColladaLoader.js")).ColladaLoader().parse(new TextDecoder().decode(bytes), "");
  if (!read) throw new Error("this is no Collada file");
  return read.scene;
}

/**
 * A file as GLB without compression, if the package does not read it as it is; `null` if it does.
 */
export async function toGlb(name: string, bytes: Uint8Array, files: File[]): Promise<Uint8Array | null> {
  const ending = name.toLowerCase().split(".").at(-1) ?? "";
  let scene: THREE.Object3D;
  if (CONVERTED.includes(ending)) scene = await readOther(ending, bytes);
  else if (ending === "gltf" || ending === "glb") {
    const found = header(name.toLowerCase(), bytes);
    const isCompressed = found?.extensionsRequired?.some((extension) => COMPRESSIONS.includes(extension)) === true;
    const isApart = found?.buffers?.some(({ uri }) => uri !== undefined && !uri.startsWith("data:")) === true;
    if (!isCompressed && !isApart) return null;
    scene = await readGltf(name.toLowerCase(), bytes, files);
  } else return null;
  // Pictures are not part of the ground.
  scene.traverse((part) => {
    const { material } = part as THREE.Mesh;
    for (const one of [material].flat()) if (one && "map" in one) one.map = null;
  });
  scene.updateMatrixWorld(true);
  const { GLTFExporter } = await import("three/examples/jsm/exporters/GLTFExporter.js");
  return new Uint8Array((await new GLTFExporter().parseAsync(scene, { binary: true })) as ArrayBuffer);
}

/** The level with the colours and pictures of its file, where the file has any; `null` else. */
export async function colouredLevel(name: string, bytes: Uint8Array, load: Load): Promise<THREE.Object3D | null> {
  const ending = name.toLowerCase().split(".").at(-1) ?? "";
  let level: THREE.Object3D;
  if (ending === "glb" || ending === "gltf") level = await readGltf(name.toLowerCase(), bytes, []);
  else if (ending === "obj") {
    const text = new TextDecoder().decode(bytes);
    if (!/^usemtl /m.test(text)) return null;
    level = new (await import("three/examples/jsm/loaders/OBJLoader.js")).OBJLoader().parse(text);
  } else return null;
  level.traverse((part) => {
    const mesh = part as THREE.Mesh;
    if (!mesh.isMesh) return;
    mesh.material = Array.isArray(mesh.material) ? mesh.material.map(dull) : dull(mesh.material);
  });
  const group = new THREE.Group();
  group.add(level);
  // As the package turns and scales it.
  if (load.up === "z") level.rotation.x = -Math.PI / 2;
  group.scale.setScalar(load.scale ?? 1);
  group.updateMatrixWorld(true);
  return group;
}

/** A material for all lights, seen from both sides; one without a colour gets one by its name. */
function dull(of: THREE.Material): THREE.Material {
  const { color, map, vertexColors, name } = of as THREE.MeshStandardMaterial;
  const isPlain = !map && !vertexColors && color?.getHex() === 0xffffff;
  const own = isPlain && name ? new THREE.Color().setHSL(([...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) / 997), 0.3, 0.65) : color;
  const dulled = new THREE.MeshLambertMaterial({ color: own ?? 0xb9bfba, map: map ?? null, vertexColors: vertexColors === true, side: THREE.DoubleSide });
  dulled.name = name;
  return dulled;
}

/** Names of the materials of a picture, with their colours. */
export function materialsOf(level: THREE.Object3D): Map<string, THREE.Color> {
  const found = new Map<string, THREE.Color>();
  level.traverse((part) => {
    for (const one of [(part as THREE.Mesh).material].flat()) {
      if (one?.name) found.set(one.name, (one as THREE.MeshLambertMaterial).color);
    }
  });
  return found;
}
