// Files to keep: the mesh, the settings, a picture, a link.
import { settingsToToml } from "waymesh";
import { settings } from "./bakes";
import { find } from "./page";
import { projectFile, write } from "./session";
import { state, view } from "./state";

function download(name: string, content: string | Blob | Uint8Array): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart]);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves what a button names. */
export async function save(what: string): Promise<void> {
  const said = find("#saved");
  said.textContent = "";
  const { mesh, source } = state;
  const name = (source?.name ?? "mesh").replace(/\.[^.]*$/, "");
  if (what === "toml") return download(`${name}.toml`, settingsToToml(settings(), source?.kind === "plan" ? "plans" : undefined));
  if (what === "png") return download(`${name}.png`, (await view.picture()) ?? "");
  if (what === "project") return download(`${name}.waymesh.json`, projectFile());
  if (what === "link") {
    write();
    // Pages that did not come by https have no clipboard.
    if (!navigator.clipboard) throw new Error("this browser lets pages copy over https only: copy the address of this page");
    await navigator.clipboard.writeText(location.href);
    said.textContent = source?.kind === "builtin" ? "The link is copied." : "The link is copied; it holds the settings, not your file.";
    return;
  }
  if (!mesh) throw new Error("there is no mesh to save yet");
  if (what === "glb") return download(`${name}-mesh.glb`, mesh.toGlb(true));
  if (what === "svg") return download(`${name}.svg`, mesh.toSvg());
  download(`${name}.${what}`, mesh.toBytes(what as "wmesh"));
}
