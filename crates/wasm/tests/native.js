// The program `waymesh` of this checkout, to compare with.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const candidates = [process.env.WAYMESH_PROGRAM, join(built, "debug/waymesh"), join(built, "release/waymesh")];

/** Its path; undefined if it is not built. */
export const program = candidates.find((file) => file && existsSync(file));
/** Why tests are skipped, or false. */
export const skip = program ? false : "the program is not built: cargo build";

export const folder = () => mkdtempSync(join(tmpdir(), "waymesh-"));
export const waymesh = (...words) => execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
/**
 * What the program prints as JSON, also where it says with its exit code that there is no whole
 * path.
 */
export const answer = (...words) => JSON.parse(spawnSync(program, ["--json", ...words], { encoding: "utf8" }).stdout);
