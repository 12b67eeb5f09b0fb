// A level that the tests make themselves: hills, walls with gaps, a platform with a ramp, a bridge.

/** A repeatable number from 0 to 1. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** The level as an OBJ file. */
export function levelObj(size = 40) {
  const lines = [];
  let count = 0;
  const vertex = (x, y, z) => {
    lines.push(`v ${x.toFixed(4)} ${y.toFixed(4)} ${z.toFixed(4)}`);
    count += 1;
    return count;
  };
  const quad = (a, b, c, d) => lines.push(`f ${a} ${b} ${c}`, `f ${a} ${c} ${d}`);
  const box = (x, y, z, w, h, d) => {
    const corner = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
      vertex(x + (bits & 1 ? w : 0), y + (bits & 2 ? h : 0), z + (bits & 4 ? d : 0)),
    );
    for (const side of [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]) {
      quad(...side.map((index) => corner[index]));
    }
  };
  const height = (x, z) => Math.round(40 * (Math.sin(x / 5) + Math.cos(z / 7))) / 100;
  const grid = [];
  for (let z = 0; z <= size; z += 1) {
    for (let x = 0; x <= size; x += 1) grid.push(vertex(x, height(x, z), z));
  }
  lines.push("o ground");
  const row = size + 1;
  for (let z = 0; z < size; z += 1) {
    for (let x = 0; x < size; x += 1) {
      quad(grid[z * row + x], grid[(z + 1) * row + x], grid[(z + 1) * row + x + 1], grid[z * row + x + 1]);
    }
  }
  lines.push("o walls");
  const next = random(7);
  for (let wall = 0; wall < 14; wall += 1) {
    const [x, z] = [2 + next() * (size - 10), 2 + next() * (size - 10)];
    const along = next() < 0.5;
    box(x, -2, z, along ? 6 : 0.4, 5, along ? 0.4 : 6);
  }
  lines.push("o platform");
  box(12, 2.6, 12, 10, 0.4, 8);
  // A ramp up to it, with its sides open.
  const ramp = [vertex(22, 3, 14), vertex(22, 3, 17), vertex(30, 0, 17), vertex(30, 0, 14)];
  quad(...ramp);
  return `${lines.join("\n")}\n`;
}

/** Two banks of 8 x 12 m, 4 m apart: vertices and triangles. */
export function banks() {
  const bank = (x) => [x, 0, 0, x, 0, 12, x + 8, 0, 12, x + 8, 0, 0];
  return [new Float32Array([...bank(0), ...bank(12)]), new Uint32Array([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7])];
}
