// Browsers: `await init()` before anything else.
export { default, initSync } from "./queries.js";
export * from "./queries.js";
