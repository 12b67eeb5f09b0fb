// Takes a check out of the allocator that the compiler makes a trap of.
//
// Before it frees memory, dlmalloc compares the size with the one in the header before it. With
// link-time optimisation LLVM moves the load of the header to where memory is freed. There it knows
// that the memory is fresh of the allocator, that nobody has written to it, and that a load from
// fresh memory may be anything: where a vector is made and dropped without a call between, the
// check sees 0 and ends the program. Only the check reads the header in that way, so it is made
// empty.

import { Reader, bytes, concat, section, sized, unsigned } from "./binary.mjs";
import { Module, SECTION } from "./module.mjs";

const CHECK = /\bDlmalloc\b.*::validate_size$/;
/** No locals, no instructions. */
const EMPTY = bytes(0, 0x0b);

/** The module without the check. */
export function withoutSizeCheck(wasm) {
  const module = new Module(wasm);
  const found = [...module.bodies.keys()].filter((index) => CHECK.test(module.name(index)));
  if (found.length !== 1) throw new Error(`${found.length} functions are the allocator's check of sizes, but there must be one: see build/allocator.mjs`);
  const bodies = module.bodies.slice(module.imported.length).map((body, own) => (own + module.imported.length === found[0] ? EMPTY : body));
  const code = section(SECTION.code, concat([unsigned(bodies.length), ...bodies.map(sized)]));
  const reader = new Reader(wasm, 8);
  const sections = [];
  while (!reader.isAtEnd) {
    const start = reader.at;
    const id = reader.byte();
    reader.bytes(reader.u32());
    sections.push(id === SECTION.code ? code : wasm.subarray(start, reader.at));
  }
  return concat([wasm.subarray(0, 8), ...sections]);
}
