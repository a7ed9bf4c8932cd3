// How long pages take on a slow line and a slow processor, as JSON: milliseconds until something is painted,
// until the formulas of the first two screens have their fonts, and until the whole page is there; how many those
// formulas are; how far what was painted has moved (the sum of its layout shifts). Of a page that is named more
// than once the time when the machine was least busy.
//   node slow.mjs BROWSER FOLDER PAGE...
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { open } from "./open.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const [browserPath, folder, ...pages] = process.argv.slice(2);

// A server that packs what can be packed, as those on the internet do.
const server = createServer((request, response) => {
  const file = join(folder, decodeURIComponent(new URL(request.url, "http://x").pathname));
  if (!existsSync(file)) return response.writeHead(404).end();
  const type = TYPES[extname(file)];
  const head = { "content-type": type ?? "application/octet-stream", ...(type && { "content-encoding": "gzip" }) };
  const body = readFileSync(file);
  return response.writeHead(200, head).end(type ? gzipSync(body) : body);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

// Run before a page: notes what moves.
function note() {
  window.noted = { moved: 0 };
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (noted.moved += entry.value)))
    .observe({ type: "layout-shift", buffered: true });
}

// Run on a page that is all there.
function times() {
  const painted = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const soon = [...document.querySelectorAll(".katex")].filter((made) => {
    const { top, height } = made.getBoundingClientRect();
    return height && top < 2 * innerHeight && made.checkVisibility({ contentVisibilityAuto: true });
  });
  const letters = soon.flatMap((made) => [...made.querySelectorAll(".katex-html *")]);
  const fonts = new Set(letters.filter((part) => !part.children.length).map((part) => {
    const { fontFamily, fontStyle, fontWeight } = getComputedStyle(part);
    const kind = `${fontWeight > 500 ? "Bold" : ""}${fontStyle === "italic" ? "Italic" : ""}` || "Regular";
    return `${fontFamily.split(",")[0].replaceAll('"', "")}-${kind}.woff2`;
  }));
  const loaded = performance.getEntriesByType("resource").filter((file) => fonts.has(file.name.split("/").at(-1)));
  return {
    painted,
    read: Math.max(painted, ...loaded.map((file) => file.responseEnd)),
    whole: Math.max(painted, performance.getEntriesByType("navigation")[0].domInteractive),
    soon: soon.length,
    moved: noted.moved,
  };
}

const browser = await open(browserPath);
const found = {};
for (const name of pages) {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(note);
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.emulateNetworkConditions", {
    offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8,
  });
  await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(`http://127.0.0.1:${server.address().port}/${name}`);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length);
  const taken = await page.evaluate(times);
  if (!(found[name]?.read < taken.read)) found[name] = taken;
  await context.close();
}
await browser.close();
server.close();
console.log(JSON.stringify(found));
