// Splits a module of WebAssembly into a core and parts that are loaded when they are needed.
//
// A part is what only its gates lead to. The places of its gates in the core are taken by functions
// that call a slot of the table, which the part fills when it is instantiated, as it does with
// those of its functions that are in the table anyway. Core and parts share memory, tables and
// globals, so a part is instantiated with the exports of the core. What the core lends of its
// functions it has in the table, and no exports of: engines compile a way in from JavaScript for
// exports, which took a third of the start-up. All data stays with the core.
//
// binaryen's wasm-split is made for one part that a profile chooses, and npm's package lacks it.

import { bytes, concat, renumbered, section, sized, text, unsigned, vector } from "./binary.mjs";
import { KIND, Module, SECTION, elementSection, i32, nameSection, writeLimits } from "./module.mjs";

const HEAD = bytes(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
/** The name of the core among the imports of a part. */
const CORE = "c";
/** The name of what parts take of the core: a function has the number of its place in the table. */
const shared = (kind, index) => `~${"ftmg"[kind]}${index.toString(36)}`;

/** The functions that some of them lead to. */
function reached(module, roots, isGate) {
  const seen = new Set(roots);
  for (const index of seen) {
    for (const callee of module.calls[index]) if (!isGate(callee)) seen.add(callee);
  }
  return seen;
}

/** The part of each function; "" for the core. */
function owners(module, parts) {
  const gates = new Map();
  const take = (index, matches) => {
    const part = !module.isImported(index) && !gates.has(index) && parts.find(matches);
    if (part) gates.set(index, part.name);
  };
  for (let index = 0; index < module.count; index += 1) take(index, ({ gates }) => gates.test(module.name(index)));
  const exported = module.exports.filter(({ kind }) => kind === KIND.function);
  for (const { name, index } of exported) take(index, ({ exports }) => exports?.test(name));
  for (const index of module.table.values()) take(index, ({ own }) => own?.test(module.name(index)));
  const isGate = (index) => gates.has(index);
  const roots = [...module.imported.keys(), ...exported.map(({ index }) => index), ...module.table.values(), ...(module.start === null ? [] : [module.start])];
  const core = reached(module, roots.filter((index) => !isGate(index)), isGate);
  const found = Array.from({ length: module.count }, () => []);
  for (const { name } of parts) {
    const own = [...gates.keys()].filter((index) => gates.get(index) === name);
    for (const index of reached(module, own, isGate)) found[index].push(name);
  }
  // What several parts need is the core's, if none of them lends it.
  const lender = (own, index) => parts.find(({ name, lends }) => own.includes(name) && lends?.test(module.name(index)))?.name ?? "";
  return found.map((own, index) => (core.has(index) || own.length === 0 ? "" : own.length === 1 ? own[0] : lender(own, index)));
}

/** The functions of a module in their new order, and what is written of them. */
class Functions {
  /** `outside` are imported, `own` are there, and `gates` call their slots. */
  constructor(module, { outside, own, gates, slots }) {
    this.module = module;
    this.order = [...outside, ...own, ...gates];
    this.numbers = new Map(this.order.map((index, number) => [index, number]));
    const type = (index) => unsigned(module.typeOf[index]);
    const pass = (index) => Array.from({ length: module.params[module.typeOf[index]] }, (_, param) => concat([bytes(0x20), unsigned(param)]));
    const gate = (index) => concat([bytes(0), ...pass(index), i32(slots.get(index)), bytes(0x11), type(index), bytes(0, 0x0b)]);
    const body = (index) => renumbered(module.bodies[index], (callee) => this.numbers.get(callee));
    this.types = section(SECTION.function, vector([...own, ...gates].map(type)));
    this.code = section(SECTION.code, vector([...own.map(body), ...gates.map(gate)].map(sized)));
  }

  number(index) {
    return unsigned(this.numbers.get(index));
  }

  placed(pairs) {
    return elementSection(pairs.map(([place, index]) => [place, this.numbers.get(index)]));
  }

  names() {
    return nameSection(this.order.map((index) => this.module.name(index)));
  }
}

/**
 * Splits a module.
 * @param {Uint8Array} wasm a module with the names of its functions
 * @param {{ name: string, gates: RegExp, exports?: RegExp, own?: RegExp, lends?: RegExp }[]} parts
 *   the names of their gates, of exports that are gates, of functions of the table that are theirs,
 *   and of functions that they lend other parts
 * @param {boolean} withNames keeps the names of functions
 * @returns {{ core: Uint8Array, parts: Map<string, Uint8Array> }}
 */
export function split(wasm, parts, withNames = false) {
  const module = new Module(wasm);
  const owner = owners(module, parts);
  const all = [...owner.keys()];
  const of = (part) => all.filter((index) => owner[index] === part && !module.isImported(index));

  // What is called from elsewhere: of parts through a slot of the table, of the core as an export.
  const isExported = new Set(module.exports.filter(({ kind, index }) => kind === KIND.function && owner[index]).map(({ index }) => index));
  const [gates, lent] = [new Set(isExported), new Set()];
  for (const index of all) {
    for (const callee of module.calls[index]) {
      if (owner[callee] === owner[index]) continue;
      if (owner[callee]) gates.add(callee);
      if (owner[index]) lent.add(callee);
    }
  }
  const slots = new Map([...module.table].map(([place, index]) => [index, place]));
  const [functions, ...others] = module.tables;
  let size = functions.min;
  for (const index of gates) if (!slots.has(index)) slots.set(index, size++);
  // What a part has may be lent before it is there: then that is its gate in the core.
  const lentPlaces = new Map([...lent].map((index) => [index, owner[index] === "" && slots.has(index) ? slots.get(index) : size++]));
  const tables = [{ ...functions, min: size, max: functions.max === null ? null : Math.max(size, functions.max) }, ...others];
  const table = (one) => concat([bytes(one.type), writeLimits(one)]);
  const names = (functions) => (withNames ? functions.names() : bytes());

  const core = () => {
    const own = new Functions(module, { outside: [...module.imported.keys()], own: of(""), gates: [...gates], slots });
    const entry = (name, kind, number) => concat([text(name), bytes(kind), number]);
    const exports = module.exports.map(({ name, kind, index }) => entry(name, kind, kind === KIND.function ? own.number(index) : unsigned(index)));
    for (const [kind, things] of [[KIND.table, tables], [KIND.memory, module.memories], [KIND.global, module.globals]]) {
      things.forEach((_, index) => exports.push(entry(shared(kind, index), kind, unsigned(index))));
    }
    const placed = new Map([...module.table].filter(([, index]) => owner[index] === ""));
    for (const [index, place] of lentPlaces) placed.set(place, index);
    return concat([
      HEAD, module.section(SECTION.type), module.section(SECTION.import), own.types,
      section(SECTION.table, vector(tables.map(table))), module.section(SECTION.memory), module.section(SECTION.global),
      section(SECTION.export, vector(exports)),
      module.start === null ? bytes() : section(SECTION.start, own.number(module.start)),
      own.placed([...placed]),
      module.section(SECTION.dataCount), own.code, module.section(SECTION.data), names(own),
    ]);
  };

  const part = (name) => {
    const inside = of(name);
    const outside = [...new Set(inside.flatMap((index) => module.calls[index]))].filter((index) => owner[index] !== name);
    const own = new Functions(module, { outside, own: inside, gates: [], slots });
    const entry = (kind, index, type) => concat([text(CORE), text(shared(kind, index)), bytes(kind), type]);
    const imports = [
      ...outside.map((index) => entry(KIND.function, lentPlaces.get(index), unsigned(module.typeOf[index]))),
      ...tables.map((one, index) => entry(KIND.table, index, table(one))),
      ...module.memories.map((one, index) => entry(KIND.memory, index, writeLimits(one))),
      ...module.globals.map((type, index) => entry(KIND.global, index, type)),
    ];
    const filled = [...slots].filter(([index]) => owner[index] === name).map(([index, place]) => [place, index]);
    return concat([HEAD, module.section(SECTION.type), section(SECTION.import, vector(imports)), own.types, own.placed(filled), own.code, names(own)]);
  };

  const found = parts.map(({ name }) => name).filter((name) => owner.includes(name));
  return { core: core(), parts: new Map(found.map((name) => [name, part(name)])) };
}
