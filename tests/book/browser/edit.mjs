// Writes answers in a page's editors, as a reader does; tests/book/test_editor.py judges it.
//   node edit.mjs BROWSER SERVED STATIC FILE
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open } from "./open.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [browserPath, served, elsewhere, file, folder] = process.argv.slice(2);
const browser = await open(browserPath);
const seen = { errors: [], without: {}, views: {} };
const ID = "linear.softmax";
const cardOf = (page, id = ID) => page.locator(`css:light=.exercise[id="${id}"]`); // found without a walk through the page
const visit = async (url, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.PATIENCE ?? 120_000)); // the machine may be busy
  page.asked = [];
  page.sent = [];
  page.on("request", (request) => page.asked.push(new URL(request.url()).pathname));
  page.on("request", (request) => request.method() === "POST" && page.sent.push(JSON.parse(request.postData())));
  page.on("pageerror", (error) => seen.errors.push(error.message));
  await page.goto(url);
  return page;
};
const violations = async (page) => {
  // axe walks through all of a page: what stands between its exercises goes
  await page.evaluate(() => document.querySelectorAll(".bd-article section > :not(.exercise, .exercise *, :has(.exercise))").forEach((one) => one.remove()));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(".exercise:has(.course-editor)", { resultTypes: ["violations"] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
};
const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const focused = (page) => page.evaluate(() => document.activeElement.textContent.slice(0, 30));
const checked = async (card, act) => {
  const state = card.locator(".course-state");
  if (await state.count()) await state.evaluate((shown) => (shown.textContent = "")); // not that of the check before
  await act();
  await state.filter({ hasNotText: "Checking" }).filter({ hasText: /./ }).waitFor();
  return state.innerText();
};

// where no server is named, or no script runs
for (const [name, url, options] of [
  ["file", file, {}],
  ["static", elsewhere, {}],
  ["script", served, { javaScriptEnabled: false }],
]) {
  const page = await visit(url, options);
  const card = cardOf(page);
  seen.without[name] = {
    editors: await page.locator(".course-editor").count(),
    text: await card.textContent(),
    asked: page.asked.filter((path) => /codemirror|exercises\/|check$/.test(path)),
  };
  await page.context().close();
}

// by keyboard
const page = await visit(served);
const card = cardOf(page);
const content = card.locator(".cm-content");
const text = () => card.locator(".cm-line").allInnerTexts().then((lines) => lines.map((line) => line.replace(/\n$/, "")).join("\n"));
seen.before = { editors: await page.locator(".course-editor").count(), asked: page.asked.filter((path) => /codemirror|exercises\//.test(path)) };
await card.getByRole("button", { name: "Write it here" }).press("Enter");
await content.waitFor();
seen.opened = { text: await text(), label: await content.getAttribute("aria-label"), focused: await content.evaluate((box) => box === document.activeElement) };
seen.opened.given = await card.locator(".course-editor details pre").textContent();
await page.keyboard.press("Control+End");
await page.keyboard.press("Shift+Home");
await page.keyboard.type("powers = (input - input.amax(dim=dim, keepdim=True)).exp()\nreturn powers / powers.sum()\n");
await page.keyboard.press("Tab");
await page.keyboard.type("x");
seen.indented = (await text()).split("\n").at(-1);
await page.keyboard.press("Shift+Tab");
seen.outdented = (await text()).split("\n").at(-1);
await page.keyboard.press("Control+z");
seen.undone = (await text()).split("\n").at(-1);
seen.typed = await text();
const blank = seen.opened.text.replace(/ *raise NotImplementedError$/, "");
const rewrite = async (body) => {
  await content.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(blank + body);
};
await rewrite("    powers = (input - input.amax(dim=dim, keepdim=True)).exp()\n    return powers / powers.sum()");
await page.keyboard.press("Escape");
await page.keyboard.press("Tab");
seen.left = await focused(page);
await content.focus();
seen.wrong = { state: await checked(card, () => page.keyboard.press("Control+Enter")) };
const report = card.locator(".course-report");
seen.wrong.text = await report.innerText();
seen.wrong.links = await report.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
seen.wrong.maps = await report.locator("svg").count();
seen.views.light = await violations(page);

// by pointer
await rewrite("    powers = (input - input.amax(dim=dim, keepdim=True)).exp()\n    return powers / powers.sum(dim=dim, keepdim=True)");
seen.right = { state: await checked(card, () => card.getByRole("button", { name: "Check" }).click()) };
seen.right.points = await card.locator(".course-points").innerText();
seen.right.chapter = await page.locator(".bd-links .current > a").first().innerText();
const saved = page.waitForEvent("download");
await card.getByRole("button", { name: "Save as file" }).click();
const download = await saved;
seen.saved = { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
const answer = await text();
await card.getByRole("button", { name: "Reset" }).click();
seen.reset = (await text()) === seen.opened.text;
await content.focus();
await page.keyboard.press("Control+z");
seen.unreset = (await text()) === answer;
await card.getByRole("button", { name: "Reset" }).click();

const upload = async (name, written) => {
  writeFileSync(`${folder}/${name}`, written);
  await card.locator(".course-state").evaluate((state) => (state.textContent = ""));
  await card.locator("input[type=file]").setInputFiles(`${folder}/${name}`);
  await card.locator(".course-state").filter({ hasText: /Opened|none/ }).waitFor();
  return { state: await card.locator(".course-state").innerText(), text: await text() };
};
seen.loaded = await upload("saved.py", seen.saved.text);
seen.loaded.same = seen.loaded.text === answer;
const helped = "import torch\nimport statistics\n\nHALF = 0.5  # mine\n\n\ndef helper(x):\n    return x.exp()\n\n\n@torch.no_grad()\ndef softmax(input, dim=-1):\n    '''\ndef no_definition():\n'''\n    return helper(input)\n\n\nAFTER = 1\n";
seen.mixed = await upload("mixed.py", helped);
seen.foreign = await upload("foreign.py", "x = 1\n");
await upload("saved.py", seen.saved.text);

// another exercise of the chapter, after a reload
await page.reload();
seen.again = await card.getByRole("button", { name: "Continue your answer" }).count();
const other = cardOf(page, "linear.cross_entropy");
await other.getByRole("button", { name: "Write it here" }).click();
await other.locator(".cm-content").waitFor();
page.sent.length = 0;
await checked(other, () => page.keyboard.press("Control+Enter"));
seen.sent = { exercise: page.sent[0].exercise, earlier: page.sent[0].code.some((part) => part.includes("return powers / powers.sum(dim=dim")) };
await page.route("**/check", (route) => route.fulfill({ status: 429, contentType: "application/json", body: '{"error": "Come again in 3 s."}' }));
seen.full = await checked(other, () => page.keyboard.press("Control+Enter"));
await page.unroute("**/check");
await page.route("**/check", (route) => route.abort());
await page.keyboard.type("# more");
seen.away = await checked(other, () => page.keyboard.press("Control+Enter"));
await page.context().close();

// on a phone, then wide and in the dark
const phone = await visit(served, { viewport: { width: 390, height: 800 } });
const small = cardOf(phone);
await small.getByRole("button", { name: "Write it here" }).click();
await small.locator(".cm-content").waitFor();
await checked(small, () => small.getByRole("button", { name: "Check" }).click());
seen.views.phone = await violations(phone);
seen.sideways = await sideways(phone);
await phone.setViewportSize({ width: 1280, height: 900 });
await phone.emulateMedia({ colorScheme: "dark" });
await phone.waitForFunction(() => document.documentElement.dataset.theme === "dark");
await phone.waitForTimeout(500); // colors fade from one theme to the other
seen.views.dark = await violations(phone);
await browser.close();
console.log(JSON.stringify(seen));
