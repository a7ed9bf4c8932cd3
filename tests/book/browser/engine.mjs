// Uses the widgets that train as a reader does, and reports what they say and draw; tests/book/test_engine.py judges it.
//   node engine.mjs BROWSER URL
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open } from "./open.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, url] = process.argv.slice(2);
const browser = await open(browserPath);
const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
page.setDefaultTimeout(60_000); // the machine may be busy
const found = { errors: [], asked: [] };
page.on("request", (request) => found.asked.push(request.url()));
page.on("pageerror", (error) => found.errors.push(error.message));
await page.goto(url);

const widget = (name) => {
  const root = page.locator(`.course-${name}`).first();
  const press = (text) => root.getByRole("button", { name: text, exact: true }).click();
  const said = () => root.locator("[role=status]").innerText();
  return { root, press, said };
};
const step = async ({ said }) => Number((await said()).match(/Step ([\d,]+)/)[1].replace(",", ""));
const reaches = (one, least) => page.waitForFunction(
  ([root, least]) => Number(root.querySelector("[role=status]").textContent.match(/Step ([\d,]+)/)[1].replace(",", "")) >= least,
  [one, least],
);

// ---- the spirals: by steps
const spirals = widget("spirals");
const canvas = spirals.root.locator("canvas");
const pixels = () => canvas.evaluate((one) => {
  const { data } = one.getContext("2d").getImageData(0, 0, one.width, one.height);
  const count = { blue: 0, orange: 0, clear: 0, colors: {} };
  for (let k = 0; k < data.length; k += 4) {
    const side = data[k + 3] < 20 ? "clear" : data[k + 2] > data[k] ? "blue" : "orange";
    count[side] += 1;
    if (data[k + 3] > 100) count.colors[side] = [...data.slice(k, k + 3)];
  }
  return count;
});
await page.waitForTimeout(300);
found.opened = await spirals.said();
found.stills = await spirals.root.locator(".course-trained").isVisible();
await spirals.press("Next step");
found.one = await spirals.said();
await spirals.press("Previous step");
found.back = await spirals.said();
for (let k = 0; k < 10; k += 1) await spirals.press("100 steps");
found.thousand = await spirals.said();
found.light = await pixels();
found.curves = await spirals.root.locator(".course-chart path[class^=course-line]").evaluateAll((all) => all.map((one) => one.getAttribute("d").split("L").length));
await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
await page.waitForTimeout(100);
found.dark = await pixels();
await page.evaluate(() => (document.documentElement.dataset.theme = "light"));
const rate = spirals.root.getByLabel("learning rate");
await rate.press("End"); // what was computed before is computed again with the rate of then
for (let k = 0; k < 10; k += 1) await spirals.press("Previous step");
found.earlier = await spirals.said();
for (let k = 0; k < 5; k += 1) await rate.press("ArrowLeft");
for (let k = 0; k < 10; k += 1) await spirals.press("Next step");
found.again = await spirals.said();
await spirals.press("Reset");
found.start = await spirals.said();
await rate.press("End");
await spirals.press("3");
await spirals.press("none");
await spirals.press("100 steps");
found.wild = await spirals.said();
await rate.press("Home");
for (let k = 0; k < 5; k += 1) await rate.press("ArrowRight");
found.rate = await rate.evaluate((one) => one.ariaValueText);
await spirals.press("1");
await spirals.press("ReLU");

// ---- by itself: only while it is seen, and on while the rate changes
await spirals.press("▶ Train");
await reaches(await spirals.root.elementHandle(), 60);
await rate.press("ArrowRight");
found.steady = await spirals.root.getByRole("button", { name: "❚❚ Pause" }).count();
const faraway = page.locator("footer");
await faraway.scrollIntoViewIfNeeded();
await page.waitForTimeout(300);
found.away = [await step(spirals)];
await page.waitForTimeout(400);
found.away.push(await step(spirals));
await canvas.scrollIntoViewIfNeeded();
await spirals.press("▶ Train");
await reaches(await spirals.root.elementHandle(), found.away[1] + 5);
await spirals.press("❚❚ Pause");
found.paused = [await step(spirals)];
await page.waitForTimeout(300);
found.paused.push(await step(spirals));

// ---- keys: one tab stop for each group
found.stops = await page.locator(".course-widget [role=group]:not(.course-film)").evaluateAll((all) => all.filter((one) => one.querySelector("button")).map((one) => one.querySelectorAll("button:not([tabindex='-1'])").length));
await spirals.press("ReLU");
await page.keyboard.press("ArrowRight");
found.focused = await page.evaluate(() => document.activeElement.textContent);
const before = await step(spirals);
await spirals.root.getByRole("button", { name: "Next step" }).focus();
await page.keyboard.press("ArrowRight");
found.keyed = (await step(spirals)) - before;

// ---- the race
const race = widget("valley");
found.race = await race.said();
await race.press("45°");
found.askew = await race.said();
await race.press("Reset");
await race.press("10 steps");
await race.press("Next step");
await race.press("Previous step");
found.ten = await race.said();
await race.press("0°");
const box = await race.root.locator("svg").boundingBox();
await page.mouse.click(box.x + 0.2 * box.width, box.y + 0.8 * box.height);
found.tapped = await race.root.locator(".course-start").getAttribute("aria-valuetext");
await race.press("▶ Race");
await reaches(await race.root.elementHandle(), 100);
found.arrived = await race.said();
await race.root.getByLabel("learning rate of plain").press("End");
found.flies = await race.said();

// ---- the histograms
const layers = widget("histograms");
const bars = () => layers.root.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent || cell.querySelectorAll("path")[0].getAttribute("d").length + cell.querySelectorAll("path")[1].getAttribute("d").length)));
found.small = await bars();
await layers.press("2");
found.large = await bars();
await layers.press("¼");
await layers.press("50 steps");
found.losses = await layers.said();

// ---- vectors that are pulled and pushed
const plane = widget("pull");
found.pulled = [await plane.said(), await plane.root.locator("tbody td").allInnerTexts()];
await plane.press("Reset");
await plane.press("50 steps");
await plane.press("Next step");
found.forces = await plane.root.locator(".course-draw-in, .course-push").count();
await plane.press("Previous step");
await plane.press("50 steps");
found.replayed = [await plane.said(), await plane.root.locator("tbody td").allInnerTexts()];

// ---- networks that read a digit, and its patches
const reader = widget("reader");
found.read = await page.locator(".course-reader [role=status]").allInnerTexts();
await reader.press("draw my own");
await reader.root.getByRole("gridcell").nth(27).press("Space");
found.mine = [await reader.said(), await page.evaluate(() => localStorage.getItem("digit"))];
found.weights = await reader.root.locator("canvas").first().evaluate((one) => {
  const { data } = one.getContext("2d").getImageData(0, 0, 8, 8);
  return Array.from({ length: 64 }, (_, k) => (data[4 * k + 2] > data[4 * k] ? 1 : -1) * data[4 * k + 3]);
});
const cutter = widget("patching");
await cutter.press("use my digit");
await cutter.root.getByRole("button", { name: "patch 5", exact: true }).click();
found.patch = [await cutter.said()];
await cutter.press("one reshape");
found.patch.push(await cutter.said(), await cutter.root.locator(".course-note").isVisible());
await page.evaluate(() => { location.hash = "see-a"; });
await page.waitForTimeout(100);
found.patch.push(await cutter.root.locator(".course-board [data-on]").count());

const mover = widget("shift");
await mover.press("use my digit");
for (const way of ["right", "right", "up"]) await mover.root.getByRole("button", { name: `move ${way}` }).press("Enter");
found.moved = [await mover.said(), await mover.root.locator("tbody tr:visible").allInnerTexts()];

// ---- a slope, shapes, areas, a reward with its price, two answers, a translation
const times = async (button, count, key = "Enter") => { for (let k = 0; k < count; k += 1) await button.press(key); };
const curve = widget("secant");
await curve.root.scrollIntoViewIfNeeded();
const frame = await curve.root.locator("svg").first().boundingBox();
await page.mouse.move(frame.x + 0.6 * frame.width, frame.y + 0.5 * frame.height);
await page.mouse.down();
await page.mouse.move(frame.x + 0.4 * frame.width, frame.y + 0.4 * frame.height, { steps: 5 });
await page.mouse.up();
await times(curve.root.getByRole("button", { name: "Next halving" }), 3);
found.slope = await curve.said();
found.shapes = await widget("broadcast").root.evaluate((root) => {
  const [first, second] = [...root.querySelectorAll("[role=group]:not(.course-film)")].map((group) => [...group.querySelectorAll("button")]);
  return first.map((one) => second.map((other) => {
    one.click();
    other.click();
    return root.querySelector("[role=status]").textContent;
  }));
});
const square = widget("bayes");
for (const name of ["prior: ill", "positive, if well"]) for (let k = 0; k < 9; k += 1) await square.root.getByLabel(name).press("ArrowRight");
found.areas = [await square.said()];
await square.press("negative");
found.areas.push(await square.said(), await square.root.locator("output").allInnerTexts());
const optimum = widget("tilt");
await optimum.root.getByLabel("reward of b").press("End");
await optimum.root.getByLabel("reward of c").press("ArrowRight");
await times(optimum.root.getByRole("button", { name: "Next β" }), 3);
found.optimum = {
  said: await optimum.said(),
  shares: await optimum.root.locator("tbody tr td:nth-of-type(3)").allInnerTexts(),
  own: await optimum.root.locator("tbody tr td:last-child").allInnerTexts(),
  drawn: await optimum.root.locator("rect.course-drawn").evaluateAll((all) => all.map((one) => one.getAttribute("transform").match(/[\d.]+/g).map(Number))),
};
const answers = widget("margin");
await answers.press("β = 0.5");
await times(answers.root.getByRole("button", { name: "Next 10 steps" }), 1);
for (let k = 0; k < 4; k += 1) await answers.root.getByLabel("rejected").press("ArrowRight");
found.margin = await answers.said();
const board = widget("bleu");
found.bleu = [];
for (const text of ["the dog the dog the dog", "the dog.", "A small dog runs quickly over the lawn, the lawn!", "x"]) {
  await board.root.getByLabel("Your translation", { exact: true }).fill(text);
  found.bleu.push([text, await board.said(), await board.root.locator(".course-counts td").allInnerTexts()]);
}
await board.press("2");
found.marked = await board.root.locator("tbody mark").allInnerTexts();

// ---- a line that is fitted, a query that turns
const line = widget("fit");
await line.root.getByLabel("learning rate").press("ArrowLeft");
await line.root.getByLabel("y of the last point").press("Home");
await line.press("10 steps");
found.fitted = [await line.said()];
await line.root.getByLabel("learning rate").press("End");
await times(line.root.getByRole("button", { name: "10 steps" }), 2);
found.fitted.push(await line.said());
const asking = widget("lookup");
await asking.press("cosine");
await asking.root.getByLabel("temperature").press("ArrowLeft");
await times(asking.root.getByRole("button", { name: "Next step" }), 3);
found.asked_for = [await asking.said()];
await asking.press("k₂");
await asking.root.getByLabel("length").press("End");
await asking.root.getByLabel("angle").press("Home");
await asking.press("dot");
found.asked_for.push(await asking.said());
await asking.press("q");
await asking.root.getByLabel("temperature").press("End");
found.covered = 0; // pairs of names, while q turns all around
for (let turn = 0; turn < 36; turn += 1) {
  await asking.root.getByRole("button", { name: "Next step" }).press("Enter");
  found.covered += await asking.root.locator("svg text").evaluateAll((all) => {
    const scale = all[0].ownerSVGElement.getScreenCTM().a;
    const boxes = all.map((one) => one.getBoundingClientRect());
    const near = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
    return boxes.flatMap((a, k) => boxes.slice(k + 1).filter((b) => near(a, b, "left", "right") > 0 && near(a, b, "top", "bottom") > 5 * scale)).length;
  });
}

// ---- starts that move together
const crowd = widget("denoise");
const gather = async () => found.crowd.push({
  says: await crowd.said(),
  dots: await crowd.root.locator(".course-others circle").evaluateAll((all) => all.map((one) => ["cx", "cy"].map((key) => Number(one.getAttribute(key))))),
  fills: await crowd.root.locator(".course-others circle").evaluateAll((all) => all.map((one) => one.getAttribute("fill"))),
});
found.crowd = [];
await crowd.press("straight line");
await gather();
await crowd.press("Reset");
await gather();
await crowd.press("Next step");
await gather();
await crowd.press("from the ring");
await gather();
await crowd.root.getByLabel("fresh noise").press("End");
await gather();

// ---- a budget that is shared
const plan = widget("budget");
found.shared = [await plan.said()];
await plan.press("Best size");
found.shared.push(await plan.said());
await plan.press("steep");
const spent = plan.root.getByLabel("budget C");
await spent.press("ArrowRight");
await plan.root.getByLabel("parameters N").press("Home");
found.shared.push(await plan.said());
found.budgets = [await plan.root.locator("output").first().innerText()];
const [planned, priced] = await plan.root.locator("svg").all();
const { width: across, height: down } = await planned.boundingBox();
await planned.click({ position: { x: across * (184 / 330), y: down * (125 / 290) } });
found.shared.push(await plan.said());
found.budgets.push(await plan.root.locator("output").first().innerText());
await priced.click({ position: { x: 2, y: 40 } });
found.shared.push(await plan.said());

// ---- a matrix that is applied again
const moves = widget("matrix");
await moves.press("turn");
await times(moves.root.getByRole("slider", { name: "First column" }), 3, "ArrowDown");
await times(moves.root.getByRole("slider", { name: "The vector x" }), 2, "ArrowRight");
found.moved_by = [await moves.said()];
await times(moves.root.getByRole("button", { name: "Next application" }), 2);
found.moved_by.push(await moves.said());
found.way = await moves.root.locator(".course-way").getAttribute("d");

// ---- an outlier, features that share a plane, a batch and its scale
const levels = widget("outlier");
await levels.root.getByLabel("bits").press("ArrowLeft");
await levels.root.getByLabel("outlier").press("ArrowLeft");
found.rounded = {};
for (const [name, text] of [["row", "per row"], ["group", "per group of 4"]]) {
  await levels.press(text);
  const lines = await levels.root.locator(".course-errors").evaluateAll((all) => all.map((one) => one.getAttribute("d")).join(""));
  found.rounded[name] = [await levels.said(), lines];
}
const shared = widget("superposition");
await shared.root.getByLabel("trained with p").press("End");
found.returned = [];
for (const presses of [["x₁ = 1", "x₂ = 0", "x₃ = 0"], ["x₂ = 1"]]) {
  for (const text of presses) await shared.press(text);
  found.returned.push([await shared.said(), await shared.root.locator(".course-sum").allInnerTexts()]);
}
const batch = widget("negatives");
await batch.press("two");
await batch.press("gradient");
await batch.root.getByLabel("scale").press("End");
found.pushed = [await batch.said(), await batch.root.locator("tbody td[style]").allInnerTexts()];

// ---- a model divided among devices
const run = widget("devices");
found.plans = [];
for (const [microbatches, checkpointing, ...choices] of [
  ["Home", false],
  ["End", false, ["Schedule", "1F1B"], ["Pipeline stages", "8"]],
  ["ArrowLeft", true, ["ZeRO stage", "3"], ["Tensor parallel", "2"]],
  ["ArrowLeft", true, ["Model", "small"], ["Devices", "64"], ["ZeRO stage", "2"], ["Tensor parallel", "8"], ["Schedule", "GPipe"]],
  ["Home", false, ["Pipeline stages", "1"], ["Tensor parallel", "1"]],
]) {
  for (const [group, name] of choices) await run.root.getByRole("group", { name: group, exact: true }).getByRole("button", { name, exact: true }).click();
  await run.root.getByRole("slider").press(microbatches);
  await run.root.getByLabel("checkpointing").setChecked(checkpointing);
  const paths = await run.root.locator("svg path").evaluateAll((all) => all.map((one) => one.getAttribute("d")));
  const numbers = await run.root.locator("svg .course-job").allTextContents();
  found.plans.push({ said: await run.said(), chosen: await run.root.locator("caption").textContent(), cells: await run.root.locator("td").allInnerTexts(), paths, numbers });
}

// ---- samples, and the rules that choose among them: by keys, then by dragging n
const pick = widget("votes");
const state = async () => [await pick.said(), await pick.root.locator(".course-problems button").evaluateAll((all) => all.map((one) => one.dataset.is)), await pick.root.locator("tbody tr").allInnerTexts()];
found.picked = {};
for (const name of ["first sample", "majority vote", "judge", "the check (pass@n)"]) {
  await pick.press(name);
  found.picked[name] = await state();
}
await pick.press("judge");
await times(pick.root.getByLabel("noise"), 3, "ArrowRight");
await times(pick.root.getByLabel(/^n /), 2, "ArrowLeft");
await pick.root.getByRole("button", { name: /^problem 1:/ }).press("ArrowDown");
await page.keyboard.press("Enter");
found.picked.noisy = [...await state(), await pick.root.locator("caption").innerText()];
const dragged = await pick.root.locator("svg").boundingBox();
await page.mouse.move(dragged.x + dragged.width / 2, dragged.y + dragged.height / 2);
await page.mouse.down();
await page.mouse.move(dragged.x + 3, dragged.y + dragged.height / 2, { steps: 5 });
await page.mouse.up();
found.picked.dragged = await pick.said();

// ---- less motion, axe, a phone
await page.emulateMedia({ reducedMotion: "reduce" });
const plays = page.getByRole("button", { name: /(Train|Race)$/ });
for (let tries = 50; tries && (await plays.count()); tries -= 1) await page.waitForTimeout(100); // an event hides them
found.calm = await plays.count();
await layers.press("Next step");
found.calmly = await layers.said();
await page.evaluate(axe);
found.violations = await page.evaluate(async () => {
  const { violations } = await axe.run(".course-widget", { resultTypes: ["violations"] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
});
await page.setViewportSize({ width: 390, height: 800 });
found.sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
console.log(JSON.stringify(found));
await browser.close();
