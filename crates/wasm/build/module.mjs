// A module of WebAssembly, read so far that its functions can be dealt out to other modules.
import { Reader, bytes, callees, section, unsigned, concat, vector, text } from "./binary.mjs";

export const SECTION = { custom: 0, type: 1, import: 2, function: 3, table: 4, memory: 5, global: 6, export: 7, start: 8, element: 9, code: 10, data: 11, dataCount: 12 };
export const KIND = { function: 0, table: 1, memory: 2, global: 3 };

/** What follows the name of a crate. */
const HASH = /\[[0-9a-f]+\](?=::)/g;

const list = (content, item) => (content ? new Reader(content).list(item) : []);

function limits(reader) {
  const flags = reader.byte();
  const min = reader.u32();
  return { flags, min, max: flags & 1 ? reader.u32() : null };
}

export const writeLimits = ({ flags, min, max }) => concat([bytes(flags), unsigned(min), max === null ? bytes() : unsigned(max)]);

/** Passes over a constant expression of one instruction. */
function constant(reader) {
  const code = reader.byte();
  if (code === 0x43) reader.bytes(4);
  else if (code === 0x44) reader.bytes(8);
  else reader.skipNumber();
  if (reader.byte() !== 0x0b) throw new Error("a constant of more than one instruction");
}

/** Functions of the table from a place on: the only kind of segment that LLVM writes. */
function element(reader) {
  if (reader.byte() !== 0 || reader.byte() !== 0x41) throw new Error("a segment of the table of another kind");
  const place = reader.i32();
  reader.byte();
  return { place, functions: reader.list((one) => one.u32()) };
}

export class Module {
  #sections = new Map();

  constructor(wasm) {
    const reader = new Reader(wasm, 8);
    this.names = new Map();
    while (!reader.isAtEnd) {
      const id = reader.byte();
      const content = reader.bytes(reader.u32());
      if (id === SECTION.custom) this.#readNames(content);
      else this.#sections.set(id, content);
    }
    const of = (id, item) => list(this.#sections.get(id), item);
    /** How many parameters the functions of each type have. */
    this.params = of(SECTION.type, (one) => {
      one.byte();
      const params = one.list((each) => each.byte()).length;
      one.list((each) => each.byte());
      return params;
    });
    this.imported = of(SECTION.import, (one) => {
      one.name();
      one.name();
      if (one.byte() !== KIND.function) throw new Error("an import that is no function");
      return one.u32();
    });
    this.typeOf = [...this.imported, ...of(SECTION.function, (one) => one.u32())];
    this.tables = of(SECTION.table, (one) => ({ type: one.byte(), ...limits(one) }));
    this.memories = of(SECTION.memory, limits);
    this.globals = of(SECTION.global, (one) => {
      const type = one.bytes(2);
      constant(one);
      return type;
    });
    this.exports = of(SECTION.export, (one) => ({ name: one.name(), kind: one.byte(), index: one.u32() }));
    /** The function at each place of the table. */
    this.table = new Map(of(SECTION.element, element).flatMap(({ place, functions }) => functions.map((index, after) => [place + after, index])));
    const bodies = of(SECTION.code, (one) => one.bytes(one.u32()));
    this.bodies = [...this.imported.map(() => null), ...bodies];
    this.calls = this.bodies.map((body) => (body ? callees(body) : []));
    this.start = this.#sections.has(SECTION.start) ? new Reader(this.#sections.get(SECTION.start)).u32() : null;
  }

  #readNames(content) {
    const reader = new Reader(content);
    if (reader.name() !== "name") return;
    while (!reader.isAtEnd) {
      const id = reader.byte();
      const part = reader.bytes(reader.u32());
      if (id === 1) list(part, (one) => this.names.set(one.u32(), one.name()));
    }
  }

  get count() {
    return this.typeOf.length;
  }

  isImported(index) {
    return this.bodies[index] === null;
  }

  /** The name of a function as it is in Rust, without the hashes of crates. */
  name(index) {
    return (this.names.get(index) ?? "").replace(HASH, "");
  }

  /** A section as it was, or nothing. */
  section(id) {
    return this.#sections.has(id) ? section(id, this.#sections.get(id)) : bytes();
  }
}

/** A section of segments that put functions into places of the table. */
export function elementSection(placed) {
  const runs = [];
  for (const [place, index] of placed.toSorted(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    if (last && last.place + last.functions.length === place) last.functions.push(unsigned(index));
    else runs.push({ place, functions: [unsigned(index)] });
  }
  const segment = ({ place, functions }) => concat([bytes(0), i32(place), bytes(0x0b), vector(functions)]);
  return section(SECTION.element, vector(runs.map(segment)));
}

/** A constant of 0 or more: an instruction. */
export function i32(value) {
  const out = [];
  for (; value >= 64; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  return bytes(0x41, ...out, value);
}

/** The names of functions, in the order of their numbers. */
export const nameSection = (names) =>
  section(SECTION.custom, concat([text("name"), section(1, vector(names.map((name, index) => concat([unsigned(index), text(name)]))))]));
