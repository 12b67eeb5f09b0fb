// Examples check their own results.
import { test } from "node:test";

test("the example walks", () => import("../examples/walk.mjs"));
