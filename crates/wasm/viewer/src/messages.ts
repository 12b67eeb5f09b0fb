// What the page and its worker tell each other.
import type { Hint, Judgement, PairExplanation, PlaceExplanation, PlanSettings, Report, SceneOptions, Settings, Shape, Stages } from "waymesh";
import type { Point } from "./project";

/** Where a scene comes from. */
export type Source =
  | { kind: "builtin"; name: string }
  | { kind: "scene"; name: string; bytes: Uint8Array }
  | { kind: "plan"; name: string; bytes: Uint8Array };

/** How the file of a scene is read. */
export type Load = Pick<SceneOptions, "up" | "scale" | "winding" | "areaRules">;

/** Triangles of a scene, none for a floor plan, and what is unusual about them. */
export interface Opened {
  vertices: Float32Array;
  triangles: Uint32Array;
  hints: Hint[];
}

/** A mesh as bytes, with its figures. */
export interface Made {
  bytes: Uint8Array;
  report: Report | null;
  /** Seconds of the whole call. */
  seconds: number;
  /** Tiles that were built again, if only some were. */
  rebuilt: number | null;
  /** Bytes of the module's memory. */
  memory: number;
}

export type Explanation = PlaceExplanation | PairExplanation;

export type AnySettings = Settings & PlanSettings;

export type Request =
  | { id: number; kind: "module"; module: WebAssembly.Module }
  | { id: number; kind: "open"; source: Source; load: Load }
  | { id: number; kind: "bake"; settings: AnySettings; obstacles: Shape[] }
  | { id: number; kind: "stages"; settings: AnySettings }
  | { id: number; kind: "judge"; bytes: Uint8Array }
  | { id: number; kind: "why"; at: Point; to: Point | null; settings: AnySettings };

export type Answer =
  | { id: number; stage: string; done: number }
  | { id: number; error: string }
  | { id: number; opened: Opened }
  | { id: number; made: Made }
  | { id: number; stages: Stages }
  | { id: number; judgement: Judgement }
  | { id: number; explanation: Explanation };
