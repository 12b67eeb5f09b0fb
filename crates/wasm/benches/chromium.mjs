// The same as `peers.mjs` in a page of Chromium: npm ci && node chromium.mjs LEVEL.obj ...
// CHROMIUM names the program. Times are of the clock: there is no other in a page.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const files = process.argv.slice(2);
/** Where a page finds what Node finds by its name. */
const imports = {
  "recast-navigation": "recast-navigation/index.mjs",
  "recast-navigation/generators": "recast-navigation/generators.mjs",
  "@recast-navigation/core": "@recast-navigation/core/dist/index.mjs",
  "@recast-navigation/generators": "@recast-navigation/generators/dist/index.mjs",
  "@recast-navigation/wasm": "@recast-navigation/wasm/dist/recast-navigation.wasm-compat.js",
  navcat: "navcat/dist/index.js",
  "navcat/blocks": "navcat/dist/blocks.js",
  mathcat: "mathcat/dist/index.js",
};
const addresses = Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, `/benches/node_modules/${file}`]));
const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports: addresses })}</script><script type="module">
const say = (line, isLast = false) => fetch("/say?" + (isLast ? "last" : ""), { method: "POST", body: line });
try {
  const { compare, load } = await import("/benches/compare.js");
  const now = () => performance.now();
  const modules = await load("/pkg/index.js", now);
  const files = [];
  for (const [index, name] of ${JSON.stringify(files.map((file) => basename(file)))}.entries()) {
    files.push([name, new Uint8Array(await (await fetch("/level/" + index)).arrayBuffer())]);
  }
  for (const line of compare(modules, files, now)) await say(line);
  await say("", true);
} catch (error) {
  await say(String(error?.stack ?? error), true);
}
</script>`;

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
/** With these a page has its clock at its finest. */
const HEADERS = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };

let finish;
const finished = new Promise((resolve) => (finish = resolve));
const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, "http://localhost");
  const send = (type, content) => response.writeHead(200, { ...HEADERS, "content-type": type }).end(content);
  if (pathname === "/") return send("text/html", page);
  if (pathname === "/say") {
    const words = (await request.toArray()).join("");
    if (words) console.log(words);
    send("text/plain", "");
    if (search === "?last") finish();
    return;
  }
  try {
    const level = /^\/level\/(\d+)$/.exec(pathname);
    send(TYPES[extname(pathname)] ?? "application/octet-stream", readFileSync(level ? files[level[1]] : join(root, pathname)));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const profile = mkdtempSync(join(tmpdir(), "waymesh-bench-"));
const words = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", `--user-data-dir=${profile}`];
const browser = spawn(process.env.CHROMIUM ?? "chromium", [...words, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore" });
const ended = new Promise((resolve) => browser.on("close", resolve).on("error", resolve));
if ((await Promise.race([finished, ended.then(() => "ended")])) === "ended") {
  console.error("error: Chromium has ended, or is not there: CHROMIUM names the program");
  process.exitCode = 1;
}
browser.kill();
await ended;
server.close();
server.closeAllConnections();
try {
  // Its other processes may still write there.
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
} catch (error) {
  console.error(`${profile} stays: ${error.message}`);
}
