// Uses the widget of a forward pass as a reader does, and reports what it says; tests/book/test_small_gpt.py judges it.
//   node small_gpt.mjs BROWSER URL TEXT
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open } from "./open.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, url, other] = process.argv.slice(2);
const browser = await open(browserPath);
const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, reducedMotion: "reduce" });
page.setDefaultTimeout(60_000); // the machine may be busy
const found = { url, errors: [], asked: [], steps: [], prices: [], without: [] };
page.on("request", (request) => found.asked.push(request.url()));
page.on("pageerror", (error) => found.errors.push(error.message));
await page.goto(url);

const root = page.locator(".course-machine");
const status = root.locator("[role=status]");
const field = root.getByLabel("Your text");
const named = (name) => root.getByRole("button", { name, exact: true });
const said = () => status.innerText();
const text = await field.inputValue();
found.still = await said();
found.before = [...found.asked];
await page.mouse.wheel(0, 4000);
await page.waitForTimeout(300);
found.scrolled = [...found.asked];

await field.focus();
await root.locator("canvas").first().waitFor();
found.first = await said();
found.painted = await root.locator("canvas").first().evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((level, place) => place % 4 === 3 && level > 0).length;
});
await field.fill(other);
found.typed = await said();
await field.fill("");
found.empty = await said();
await field.fill(text);

// one token, ten more, and all of it once more without the cache
const price = root.locator(".course-price");
await root.getByLabel("temperature").fill("0");
await named("Write a token").click();
found.one = await field.inputValue();
found.prices.push(await price.innerText());
await named("Write ten").click();
found.eleven = await field.inputValue();
found.prices.push(await price.innerText());
await field.fill(text);
await root.getByLabel("KV cache").uncheck();
await field.fill(text);
await named("Write a token").click();
await named("Write ten").click();
found["without cache"] = await field.inputValue();
found.prices.push(await price.innerText());
await root.getByLabel("KV cache").check();
await root.getByLabel("temperature").fill("1");
await field.fill(text);

for (const name of ["positions", "layer 1", "layer 1, head 2"]) {
  await named(name).click();
  found.without.push(await said());
  await named(name).click();
}
found.again = await said();

const step = root.locator(".course-stepper b");
const slider = root.getByLabel("Step", { exact: true });
await slider.fill("1");
found.steps.push(await step.innerText());
await named("Next step").click();
found.steps.push(await step.innerText());
await page.keyboard.press("ArrowRight");
found.steps.push(await step.innerText());
await page.keyboard.press("ArrowLeft");
found.steps.push(await step.innerText());
await slider.fill("7");
found.opened = [await step.innerText(), await root.locator("details").nth(1).evaluate((box) => box.open)];
await root.locator(".course-chips button").first().press("Enter");
found.followed = await said();

await page.evaluate(axe);
found.violations = await page.evaluate(async () => {
  document.querySelectorAll("details").forEach((box) => (box.open = true));
  const { violations } = await axe.run(".course-machine", { resultTypes: ["violations"] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
});
await page.setViewportSize({ width: 390, height: 800 });
found.sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
console.log(JSON.stringify(found));
await browser.close();
