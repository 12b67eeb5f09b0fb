import assert from "node:assert/strict";

/** Throws an error of the package with this kind and text. */
export const refused = (run, kind, text) =>
  assert.throws(run, (error) => {
    assert.equal(error.name, "WaymeshError");
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, text);
    return true;
  });
