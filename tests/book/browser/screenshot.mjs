// Takes the picture of the README: a page from its top, or from an anchor on.
//   node screenshot.mjs BROWSER ../../../_build/html/book/index.html ../../../book/_static/screenshot.png
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { open } from "./open.mjs";

const [browserPath, page, out] = process.argv.slice(2);
const [file, anchor] = page.split("#");
const browser = await open(browserPath);
const tab = await browser.newPage({ viewport: { width: 1200, height: 1560 }, colorScheme: "light" });
await tab.goto(pathToFileURL(resolve(file)).href);
await tab.evaluate((id) => {
  const target = id && document.getElementById(id);
  if (target) scrollTo(0, target.getBoundingClientRect().top + scrollY - 70);
}, anchor);
await tab.waitForTimeout(500); // the bar at the top folds in
await tab.screenshot({ path: out });
await browser.close();
