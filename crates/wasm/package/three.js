// Objects of three.js as triangles for `Scene.fromTriangles`, and meshes as geometry for three.js,
// which is not imported here.

/** The product of two matrices of 16 numbers, column by column. */
function times(a, b) {
  const product = new Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let sum = 0;
      for (let at = 0; at < 4; at += 1) sum += a[4 * at + row] * b[4 * column + at];
      product[4 * column + row] = sum;
    }
  }
  return product;
}

/** The determinant of the part that turns and scales: below 0 for a mirror. */
function volume(m) {
  return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
}

/** All triangles below an object, in the coordinates of the world. */
export function trianglesOf(object) {
  object.updateWorldMatrix?.(true, true);
  const [vertices, triangles] = [[], []];
  const add = ({ attributes: { position }, index }, m) => {
    // A mesh of three.js begins without vertices.
    if (!position) return;
    const first = vertices.length / 3;
    for (let vertex = 0; vertex < position.count; vertex += 1) {
      const [x, y, z] = [position.getX(vertex), position.getY(vertex), position.getZ(vertex)];
      for (let axis = 0; axis < 3; axis += 1) vertices.push(m[axis] * x + m[4 + axis] * y + m[8 + axis] * z + m[12 + axis]);
    }
    const corner = (at) => first + (index ? index.getX(at) : at);
    // A mirror turns faces over.
    const [second, third] = volume(m) < 0 ? [2, 1] : [1, 2];
    const count = index ? index.count : position.count;
    for (let at = 0; at + 2 < count; at += 3) triangles.push(corner(at), corner(at + second), corner(at + third));
  };
  object.traverse((part) => {
    if (!part.isMesh) return;
    const { elements } = part.matrixWorld;
    if (!part.isInstancedMesh) add(part.geometry, elements);
    else for (let at = 0; at < part.count; at += 1) add(part.geometry, times(elements, part.instanceMatrix.array.subarray(16 * at, 16 * at + 16)));
  });
  return { vertices: Float32Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

/** The ground of a mesh as a geometry; the other is the module of three.js, or its two classes. */
export function geometryOf(mesh, { BufferGeometry, BufferAttribute }) {
  const { positions, triangles } = mesh.ground(true);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  geometry.computeVertexNormals();
  return geometry;
}
