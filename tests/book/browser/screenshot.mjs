// Takes the picture of the README: the part of a chapter that an anchor names.
//   node screenshot.mjs BROWSER _build/html/book/self_attention.html#anchor ../../../book/_static/screenshot.png
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { open } from "./open.mjs";

const [browserPath, page, out] = process.argv.slice(2);
const [file, anchor] = page.split("#");
const browser = await open(browserPath);
const tab = await browser.newPage({ viewport: { width: 1280, height: 880 }, colorScheme: "light" });
await tab.goto(pathToFileURL(resolve(file)) + (anchor ? `#${anchor}` : ""));
await tab.evaluate(() => window.MathJax?.startup?.promise);
if (anchor) await tab.evaluate((id) => document.getElementById(id).scrollIntoView(), anchor);
await tab.waitForTimeout(500);
await tab.screenshot({ path: out });
await browser.close();
