export { default, initSync } from "./queries.js";
export * from "./queries.js";
