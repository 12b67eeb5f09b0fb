// Copies the built page to where the build of the program `waymesh` takes it from.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [built, page] = ["dist/", "../../cli/page/"].map((name) => fileURLToPath(new URL(name, import.meta.url)));
for (const name of readdirSync(page)) if (name !== ".gitignore") rmSync(page + name, { recursive: true });
cpSync(built, page, { recursive: true });
