// The bytes of WebAssembly: reading, writing, and the calls in the bodies of functions.

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Reads bytes one after the other. */
export class Reader {
  constructor(view, at = 0) {
    this.view = view;
    this.at = at;
  }

  get isAtEnd() {
    return this.at >= this.view.length;
  }

  byte() {
    return this.view[this.at++];
  }

  bytes(count) {
    this.at += count;
    return this.view.subarray(this.at - count, this.at);
  }

  u32() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  /** Passes over a signed or unsigned number of any size. */
  skipNumber() {
    while (this.byte() >= 128);
  }

  i32() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return byte & 64 && shift < 25 ? value | (-1 << (shift + 7)) : value;
    }
  }

  name() {
    return decoder.decode(this.bytes(this.u32()));
  }

  list(item) {
    return Array.from({ length: this.u32() }, () => item(this));
  }

  /** What `read` passes over. */
  slice(read) {
    const start = this.at;
    read(this);
    return this.view.subarray(start, this.at);
  }
}

export const bytes = (...values) => Uint8Array.from(values);

export function concat(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function unsigned(value) {
  const out = [];
  for (; value >= 128; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  return Uint8Array.of(...out, value);
}

/** A number of 0 or more as a signed one. */
export function signed(value) {
  const out = [];
  for (; value >= 64; value = Math.floor(value / 128)) out.push((value % 128) | 128);
  return Uint8Array.of(...out, value);
}

export const vector = (items) => concat([unsigned(items.length), ...items]);

export function text(value) {
  const coded = encoder.encode(value);
  return concat([unsigned(coded.length), coded]);
}

export const sized = (content) => concat([unsigned(content.length), content]);
export const section = (id, content) => concat([bytes(id), sized(content)]);

/** Operands of instructions: a number each, or a function that passes over them. */
const OPERANDS = new Map();
const numbers = (count) => (reader) => {
  for (let index = 0; index < count; index += 1) reader.skipNumber();
};
const fixed = (count) => (reader) => reader.bytes(count);
const set = (from, to, skip) => {
  for (let code = from; code <= to; code += 1) OPERANDS.set(code, skip);
};
const CALL = 0x10;
set(0x00, 0x01, numbers(0));
set(0x02, 0x04, numbers(1));
set(0x05, 0x05, numbers(0));
set(0x0b, 0x0b, numbers(0));
set(0x0c, 0x0d, numbers(1));
set(0x0e, 0x0e, (reader) => {
  reader.list((one) => one.skipNumber());
  reader.skipNumber();
});
set(0x0f, 0x0f, numbers(0));
set(0x11, 0x11, numbers(2));
set(0x1a, 0x1b, numbers(0));
set(0x1c, 0x1c, (reader) => reader.list((one) => one.byte()));
set(0x20, 0x26, numbers(1));
set(0x28, 0x3e, numbers(2));
set(0x3f, 0x42, numbers(1));
set(0x43, 0x43, fixed(4));
set(0x44, 0x44, fixed(8));
set(0x45, 0xc4, numbers(0));
set(0xd0, 0xd0, numbers(1));
set(0xd1, 0xd1, numbers(0));
set(0xfc, 0xfc, (reader) => numbers([0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1][reader.u32()])(reader));
set(0xfd, 0xfd, (reader) => {
  const code = reader.u32();
  if (code <= 11 || code === 92 || code === 93) numbers(2)(reader);
  else if (code === 12 || code === 13) reader.bytes(16);
  else if (code >= 21 && code <= 34) reader.byte();
  else if (code >= 84 && code <= 91) {
    numbers(2)(reader);
    reader.byte();
  }
});

/** Calls `found` with each direct call: the function, and where its number begins and ends. */
function eachCall(body, found) {
  const reader = new Reader(body);
  reader.list((locals) => {
    locals.skipNumber();
    locals.byte();
  });
  while (!reader.isAtEnd) {
    const code = reader.byte();
    if (code === CALL) {
      const start = reader.at;
      found(reader.u32(), start, reader.at);
      continue;
    }
    const skip = OPERANDS.get(code);
    if (!skip) throw new Error(`an instruction that is not known: 0x${code.toString(16)}`);
    skip(reader);
  }
}

/** The functions that the body of a function calls directly. */
export function callees(body) {
  const found = new Set();
  eachCall(body, (callee) => found.add(callee));
  return [...found];
}

/** The body with other numbers for the functions that it calls. */
export function renumbered(body, numberOf) {
  const parts = [];
  let from = 0;
  eachCall(body, (callee, start, end) => {
    parts.push(body.subarray(from, start), unsigned(numberOf(callee)));
    from = end;
  });
  return concat([...parts, body.subarray(from)]);
}
