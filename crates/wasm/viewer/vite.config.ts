import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const pkg = (file: string) => fileURLToPath(new URL("../pkg/", import.meta.url)) + file;

export default defineConfig({
  // The page works from any folder of any server.
  base: "./",
  resolve: {
    alias: [
      { find: /^waymesh$/, replacement: pkg("index.js") },
      { find: /^waymesh\/(.*)$/, replacement: pkg("$1") },
    ],
  },
  worker: { format: "es" },
  // three.js is one half of a megabyte.
  build: { chunkSizeWarningLimit: 1000, target: "es2022" },
  server: { fs: { allow: [".."] } },
});
