// How long pages take on a slow line and a slow processor, as JSON: milliseconds until something is
// painted, until the formulas near to the reader are set, and until all are; how many in the window are not
// when he is told so.
//   node slow.mjs BROWSER FOLDER PAGE...
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { near, open, set } from "./open.mjs";

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

const browser = await open(browserPath);
const found = {};
for (const name of pages) {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  await client.send("Network.emulateNetworkConditions", {
    offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8,
  });
  await client.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(`http://127.0.0.1:${server.address().port}/${name}`);
  await page.waitForFunction(near, null, { polling: 50 });
  await page.evaluate(() => document.fonts.ready);
  found[name] = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0].startTime,
    read: performance.now(),
    unset: [...document.querySelectorAll(".math:not(:has(.katex))")].filter((formula) => {
      const { top, height } = formula.getBoundingClientRect();
      return height && top < innerHeight && formula.checkVisibility({ contentVisibilityAuto: true });
    }).length,
  }));
  await page.waitForFunction(set, null, { polling: 50 });
  found[name].set = await page.evaluate(() => performance.now());
  await context.close();
}
await browser.close();
server.close();
console.log(JSON.stringify(found));
