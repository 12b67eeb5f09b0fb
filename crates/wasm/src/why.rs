//! Explains places of scenes.

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh::core::{Observer, Warning, warn_of_shape};

use crate::bake::set_clock;
use crate::convert::{from_json, object, point};
use crate::error::{Kind, OrThrow, Thrown};
use crate::scene::Scene;
use crate::settings;

#[wasm_bindgen]
impl Scene {
    /// Explains why a place of this scene is not walkable, or with `to` why no path leads there. The
    /// settings are those of the bake, of the pipeline voxels. Every answer is checked by bakes, some
    /// for a place and about 30 with `to`: do it in a worker.
    #[wasm_bindgen(unchecked_return_type = "PlaceExplanation | PairExplanation")]
    pub fn why(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Point")] at: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "Point | null")] to: Option<Vec<f32>>,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings")] settings: JsValue,
    ) -> Thrown<JsValue> {
        set_clock();
        let baker = settings::voxels(&settings, &self.areas)?;
        let (at, to) = (point("at", at)?, to.as_deref().map(|to| point("to", to)).transpose()?);
        let answer = baker.explain(&self.soup).or_throw()?.answer(at, to, |_| None).or_throw()?;
        from_json(&serde_json::to_string(&answer).map_err(|error| Kind::Bake.error(error))?)
    }

    /// Returns what is unusual about the scene, before any bake: its unit, its axis, the side that its
    /// faces show, each with the option of `SceneOptions` that may help.
    #[wasm_bindgen(unchecked_return_type = "Hint[]")]
    pub fn hints(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Settings")] settings: JsValue,
    ) -> Thrown<JsValue> {
        let baker = settings::voxels(&settings, &self.areas)?;
        let (config, mut hints) = (baker.config(), Hints::default());
        warn_of_shape(&self.soup, &config.agent, &config.scale, &mut hints);
        let hint = |warning: &Warning| {
            let (option, value) = remedy(warning)
                .map_or((JsValue::NULL, JsValue::NULL), |(option, value)| (option.into(), value));
            object(&[("text", warning.to_string().into()), ("option", option), ("value", value)])
        };
        Ok(hints.0.iter().map(hint).collect::<Array>().into())
    }
}

/// Warnings about a scene.
#[derive(Default)]
struct Hints(Vec<Warning>);

impl Observer for Hints {
    fn warn(&mut self, warning: Warning) {
        self.0.push(warning);
    }
}

/// The field of `SceneOptions` that answers a warning, and its value; for a scale, the factor.
fn remedy(warning: &Warning) -> Option<(&'static str, JsValue)> {
    Some(match warning {
        Warning::UnlikelyUnit { scale, .. } => ("scale", (*scale).into()),
        Warning::UnlikelyAxis { axis, .. } => ("up", if *axis == "z" { "z" } else { "y" }.into()),
        Warning::UpsideDown { .. } => ("winding", "flipped".into()),
        Warning::MixedWinding { .. } => ("winding", "two_sided".into()),
        _ => return None,
    })
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What is unusual about a scene. */
export interface Hint {
  text: string;
  /** What may help; for `scale`, the factor on top of the present one. */
  option: "scale" | "up" | "winding" | null;
  value: number | string | null;
}

/** A setting with which a place is walkable, or two places are joined. */
export interface Remedy {
  /** As in `Settings`, or `winding` of `LoadOptions`. */
  setting: string;
  from: unknown;
  to: unknown;
}

/** Why a place is not walkable. */
export interface PlaceExplanation {
  place: [number, number, number];
  is_walkable: boolean;
  /** The height of the surface that is explained. */
  height: number | null;
  /**
   * Causes in the order of the stages of a bake, with their measures in metres and degrees; each
   * counts once those before it are mended.
   */
  reasons: { cause: { cause: string; triangle?: number; [measure: string]: unknown }; remedy: Remedy | null }[];
  /** A bake with all remedies has ground here. */
  is_checked: boolean;
  /** The nearest place on the mesh. */
  nearest: [number, number, number] | null;
  /** The causes in words, in their order in the answer. */
  causes: string[];
}

/** Why no path joins two places. */
export interface PairExplanation {
  from: Omit<PlaceExplanation, "causes">;
  to: Omit<PlaceExplanation, "causes">;
  /** Of the path, if there is one. */
  length: number | null;
  /** A path leads from the goal to the start, but not back. */
  is_one_way: boolean;
  /** Settings with each of which alone a path joins the places, the smallest change first. */
  ways: { remedy: Remedy; length: number; at: [number, number, number] | null; cause: { cause: string } | null }[];
  /** The nearest places of the two pieces of ground. */
  gap: { from: [number, number, number]; to: [number, number, number]; distance: number; without_ground: number; rise: number } | null;
  causes: string[];
}
"#;
