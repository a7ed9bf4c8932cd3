// Opens the report on a class and uses it as an instructor does; tests/grader/test_class_report.py judges it.
//   node report.mjs BROWSER URL
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open } from "./open.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, url] = process.argv.slice(2);
const browser = await open(browserPath);
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" });
page.setDefaultTimeout(120_000); // the machine may be busy
const seen = { asked: [], errors: [], sorted: {}, views: {} };
page.on("request", (request) => seen.asked.push(request.url()));
page.on("pageerror", (error) => seen.errors.push(error.message));
page.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
await page.goto(url);

const table = page.locator("#students-table");
const cells = (column) => table.locator(`tbody tr > :nth-child(${column}):visible`).allInnerTexts();
const press = (name) => table.getByRole("button", { name, exact: true }).press("Enter");
for (const turn of ["once", "twice"]) {
  await press("Total");
  seen.sorted[turn] = await cells(2);
}
seen.sorted.told = await table.locator("th[aria-sort]").evaluateAll((all) => all.map((one) => [one.textContent, one.ariaSort]));
await press("Student");
seen.sorted.names = await cells(1);

await page.keyboard.press("/");
await page.keyboard.type("lovelace");
seen.searched = { names: await cells(1), said: await page.locator("#shown").innerText() };
await page.locator("#search").fill("");
await page.locator("#state").selectOption("unreadable");
seen.chosen = await cells(1);
await page.locator("#state").selectOption("");

await table.locator("tbody a").first().press("Enter");
await page.locator("main section.student:visible").waitFor(); // the address changes first
const open_ = () => page.locator("main section.student:visible h2").allInnerTexts();
seen.student = { titles: await open_(), focused: await page.evaluate(() => document.activeElement.textContent) };
seen.views.student = await violations();
await page.keyboard.press("Escape");
await page.locator("#class").waitFor();
seen.student.closed = [await page.locator("#class").isVisible(), await open_()];

await page.evaluate(() => document.querySelectorAll("details").forEach((box) => (box.open = true)));
for (const colorScheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  seen.views[colorScheme] = { ground, ...(await violations()) };
}
await page.setViewportSize({ width: 360, height: 900 });
seen.sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
await browser.close();
console.log(JSON.stringify(seen));

// What axe finds on what is open now.
async function violations() {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return { violations: found.violations.map((one) => [one.id, one.nodes.map((node) => node.target.join(" "))]), passed: found.passes.length };
}
