// The small meshes whose checksums are committed, baked here: the same bytes as on every other
// machine.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Plan, Scene, describeSettings } from "../pkg/node.js";

const testdata = fileURLToPath(new URL("../../../testdata", import.meta.url));

/** Settings that the program calls something else. */
const RENAMED = { tile: "tile_cells" };

/** The settings that a command line gives, by the arguments of the program. */
function settingsOf(words) {
  const settings = {};
  const at = words.indexOf("--pipeline");
  if (at >= 0) settings.pipeline = words.splice(at, 2)[1];
  const fields = describeSettings(settings.pipeline ?? "voxels");
  const plans = describeSettings("plans");
  while (words.length > 0) {
    const argument = words.shift().slice(2).replaceAll("-", "_");
    const name = RENAMED[argument] ?? argument;
    const field = [...fields, ...plans].find((field) => field.name === name && field.group !== "jumps");
    assert.ok(field, `there is no setting ${name}`);
    if (words.length === 0 || words[0].startsWith("--")) {
      settings[name] = field.type.kind === "flag" ? true : {};
    } else {
      const value = words.shift();
      settings[name] = Number.isNaN(Number(value)) ? value.replaceAll("-", "_") : Number(value);
    }
  }
  return settings;
}

test("committed checksums hold", () => {
  const lines = readFileSync(`${testdata}/snapshots/golden.snap`, "utf8").trimEnd().split("\n").slice(3);
  assert.ok(lines.length >= 20 && lines.length % 2 === 0);
  for (let line = 0; line < lines.length; line += 2) {
    const [name, command, ...words] = lines[line].split(" ");
    const level = readFileSync(`${testdata}/levels/${name}`);
    const settings = settingsOf(words);
    const read = command === "plan" ? Plan.read(name, level) : Scene.read(name, level);
    const mesh = read.bake(settings);
    const file = mesh.toBytes();
    // A mesh file ends with its checksum.
    const checksum = new DataView(file.buffer, file.byteOffset + file.length - 4).getUint32(0, true);
    const found = `  ${file.length} bytes, CRC-32 ${checksum.toString(16).padStart(8, "0")}, ${mesh.polygonCount} polygons`;
    assert.equal(found, lines[line + 1], lines[line]);
  }
});
