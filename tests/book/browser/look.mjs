// Opens pages in a browser and reports what it sees, as JSON; tests/book/test_site.py judges it.
// Links are tried on one of them alone: one script serves them all.
//   node look.mjs BROWSER TRIED URL...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { open } from "./open.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = {
  light: { width: 1280, colorScheme: "light" },
  dark: { width: 1280, colorScheme: "dark" },
  phone: { width: 360, colorScheme: "light" },
  tablet: { width: 1000, colorScheme: "light" },
};
// The dark theme changes colors alone, as `boxes` proves; all other rules see in it what they see in the light one.
const RULES = { light: null, dark: ["color-contrast", "link-in-text-block"], phone: null };
const LOOKS = new Set(); // of words and links whose colors are told apart, on whatever page they stand
// A page is set in what fonts the machine has: beside these, a wide and a narrow one are tried.
const FONTS = {
  "DejaVu Sans": { text: "dejavu-sans", code: "dejavu-mono" },
  "PT Sans Narrow": { text: "pt-sans-narrow" },
};
// axe judges no words above a shadow, which tells what goes on at the right, and none that are scrolled out of sight.
const PLAIN = `section { content-visibility: visible !important; }
.bd-sidebar { max-height: none !important; }
:is(.course-figure, .course-table, .course-scroll, .pst-scrollable-table-container, .highlight pre) { background-image: none !important; }`;
// The widest and the narrowest window are tried in all fonts. From one stop to the next as little changes as can.
const STOPS = [
  ["light", "own"],
  ["dark", "own"],
  ["light", "PT Sans Narrow"],
  ["light", "DejaVu Sans"],
  ["phone", "DejaVu Sans"],
  ["phone", "PT Sans Narrow"],
  ["phone", "own"],
  ["tablet", "own"],
];
const [browserPath, tried, ...urls] = process.argv.slice(2);
const browser = await open(browserPath);

// A page that notes what it asks of others.
async function blank(outside) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000); // the machine may be busy
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) outside.push(request.url());
  });
  return page;
}

// All pages, one after another in one window, whose scripts are then compiled once. Nothing is kept between two.
async function* visits() {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000); // the machine may be busy
  await page.addInitScript(() => {
    if (location.protocol !== "file:") return;
    localStorage.clear();
    sessionStorage.clear();
  });
  for (const url of urls) {
    await page.setViewportSize({ width: VIEWS.light.width, height: 720 });
    await page.mouse.move(0, 0);
    yield [url, await visit(page, url)];
    await page.goto("about:blank");
  }
}

async function visit(page, url) {
  const seen = { outside: [], errors: [], views: {}, asked: [] };
  const heard = {
    request: (request) => /^(file|data|blob):/.test(request.url()) || seen.outside.push(request.url()),
    requestfailed: (request) => seen.errors.push(`not loaded: ${request.url()}`),
    pageerror: (error) => seen.errors.push(error.message),
    console: (message) => message.type() === "error" && seen.errors.push(message.text()),
  };
  for (const [what, note] of Object.entries(heard)) page.on(what, note);
  const note = (request) => seen.asked.push(request.url());
  page.on("request", note);
  await page.goto(url);
  page.off("request", note);
  await page.evaluate(merge, ".highlight pre:not(.course-statement *)"); // of a statement all lines are counted
  await page.evaluate(shorten, ":not(.course-widget *)");
  // otherwise as a reader has it: what is far off the screen is not laid out, so that each act costs little
  seen.answers = await ask(page);
  seen.peeks = url === tried ? await peek(page) : null;
  seen.maps = await explore(page);
  seen.kernels = await step(page);
  seen.widgets = await use(page);
  seen.boards = await paint(page);
  seen.films = await play(page);
  seen.dragged = await drag(page);
  seen.formulas = await page.evaluate(() => [
    document.querySelectorAll(".math").length,
    document.querySelectorAll(".math:has(.katex)").length,
    document.querySelectorAll(".katex-error").length,
    document.querySelectorAll("span.math :is(a, button, [tabindex])").length,
  ]);
  seen.modes = await modes(page);
  // as nobody has it: all is laid out, and then open, so that nothing stays unseen
  await page.addStyleTag({ content: `${PLAIN}\n${faces()}` });
  seen.statements = await unfold(page);
  await page.evaluate(() => document.querySelectorAll("details").forEach((box) => (box.open = true)));
  await page.evaluate(axe);
  await page.evaluate(merge, ".course-statement .highlight pre");
  await page.evaluate(shorten, "");
  for (const [name, font] of STOPS) {
    await turn(page, VIEWS[name], font);
    const view = (seen.views[name] ??= { fonts: {} });
    view.fonts[font] = await page.evaluate(layout);
    if (font !== "own") continue;
    if (name === "phone") view.letters = await page.evaluate(letters);
    if (name === "phone") view.captions = await page.evaluate(weights, "figcaption, caption");
    if (name === "light") await page.evaluate(boxes);
    if (name === "dark") seen.recolored = (await page.evaluate(boxes)) || (await again(page));
    if (!(name in RULES)) continue;
    const { all, enough } = await page.evaluate(violations, [RULES[name], [...LOOKS]]);
    view.violations = all;
    enough.forEach((look) => LOOKS.add(look));
  }
  for (const [what, note] of Object.entries(heard)) page.off(what, note);
  return seen;
}

// On a busy machine something is laid out between the light theme and the dark one: once more, when all is there.
async function again(page) {
  let same = false;
  for (const name of ["light", "dark"]) {
    await turn(page, VIEWS[name], "own");
    same = await page.evaluate(boxes);
  }
  return same;
}

// A window of another width, the other theme, another font; then wait until the page has followed.
async function turn(page, { width, colorScheme }, font) {
  const theme = await page.evaluate((font) => {
    document.documentElement.dataset.tried = font;
    dispatchEvent(new Event("resize")); // as after a window's: the theme looks again what scrolls
    return document.documentElement.dataset.theme;
  }, font);
  await page.setViewportSize({ width, height: 900 });
  if (theme !== colorScheme) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme);
  }
  // Colors fade from one theme to the other, and then those that they hand down. Sections that come into reach are
  // laid out, and move those below them: until two frames are alike.
  await page.evaluate(async () => {
    const ends = (one) => one.playState !== "finished" && Number.isFinite(one.effect.getComputedTiming().endTime);
    const fading = () => document.getAnimations().filter(ends);
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (let height = NaN; height !== document.documentElement.scrollHeight || fading().length; await frame()) {
      fading().forEach((one) => one.finish());
      height = document.documentElement.scrollHeight;
    }
  });
  // what scrolls is found when nothing else is to be done, and by the theme a moment after a window has changed
  // (asked within a frame: between frames that nobody needs a browser leaves the question until its timeout)
  await page.evaluate(() => new Promise((idle) => requestAnimationFrame(() => requestIdleCallback(idle, { timeout: 2000 }))));
  await reachable(page);
}

// What scrolls sideways can be reached by keys: the theme sees to it a moment after the page has changed.
async function reachable(page) {
  await page.waitForFunction(
    () => ![...document.querySelectorAll("pre, .pst-scrollable-table-container, .course-figure, .course-table")].some((box) => box.scrollWidth > box.clientWidth && box.tabIndex < 0),
    null, { timeout: 5000 },
  ).catch(() => {});
}

// Every covered result: is it hidden at first, there in print, and there after an answer was chosen or
// after its button; what then has the focus.
async function ask(page) {
  const shown = () =>
    page.evaluate(() => [...document.querySelectorAll(".course-answer")].map((one) => one.checkVisibility({
      opacityProperty: true, visibilityProperty: true,
    }) && one.getBoundingClientRect().height > 0));
  const covered = await shown();
  await page.emulateMedia({ media: "print" });
  const printed = await shown();
  const paper = await page.evaluate(() => {
    const look = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    return {
      titles: look("h1").map((title) => title.innerText),
      numbers: look("h1 .section-number").length,
      breaks: look("h2").map((title) => getComputedStyle(title).breakBefore),
      clipped: look(".course-statement pre").filter((code) => code.scrollHeight > code.clientHeight + 1).length,
    };
  });
  await page.emulateMedia({ media: "screen" });
  await page.waitForFunction(() => [...document.querySelectorAll(".course-asked")].every((button) => {
    const { width, height } = button.getBoundingClientRect();
    return width && height && getComputedStyle(button).visibility === "visible";
  }));
  // with a key twice, as a reader does; then all others, whose results need not be laid out one by one
  const act = (button, k) => (k < 2 ? button.press("Enter") : button.evaluate((one) => one.click()));
  const opened = () => page.evaluate(() => document.querySelectorAll(".course-answer:not([hidden])").length);
  const chosen = [];
  for (const [k, list] of (await page.$$("css:light=.course-choices")).entries()) {
    const before = await opened();
    await act((await list.$$("button")).at(-1), k);
    chosen.push({
      opened: (await opened()) - before,
      ...(await list.evaluate((one) => ({
        pressed: one.querySelectorAll("[aria-pressed=true]").length,
        said: document.querySelectorAll(".course-said:not(:empty)").length,
      }))),
    });
  }
  const focused = [];
  for (let k = 0, button; (button = await page.$("css:light=.course-asked")); k++) {
    await act(button, k);
    focused.push(await page.evaluate(() => document.activeElement.className));
  }
  return { covered, printed, paper, asked: await shown(), focused, chosen };
}

// What stands beside the first link to a formula and the first one to a work: with the keyboard, with a mouse that
// goes into it and away, with a finger; and whether the first tap stays on the page.
async function peek(page) {
  const found = {};
  for (const [kind, href] of Object.entries({ formula: "^='#equation-'", work: "*='bibliography.html#'" })) {
    const link = page.locator(`.bd-article a.internal[href${href}]`).first();
    if (!(await link.count())) continue;
    const box = page.locator("#course-peek");
    const shown = async () => (await box.isVisible()) && (await link.getAttribute("aria-describedby")) === "course-peek" && box.textContent();
    const acts = found[kind] = {};
    await link.scrollIntoViewIfNeeded();
    await page.keyboard.press("Shift"); // whoever uses keys sees where the focus is
    await link.evaluate((one) => { one.blur(); one.focus(); });
    acts.focused = await shown();
    await page.keyboard.press("Escape");
    acts.escaped = await shown();
    await link.hover();
    await box.waitFor();
    acts.hovered = await shown();
    await box.hover();
    await page.waitForTimeout(400);
    acts.entered = await shown();
    await page.mouse.move(0, 0);
    await box.waitFor({ state: "hidden" });
    [acts.left, acts.stayed] = [await shown(), await link.evaluate((one) => {
      one.dispatchEvent(new PointerEvent("pointerdown", { pointerType: "touch", bubbles: true }));
      return !one.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    })];
    acts.tapped = await shown();
    acts.inside = await box.evaluate((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    });
    await page.keyboard.press("Escape");
  }
  return found;
}

// Press Read, All and Do: what of the page is open then, and what is remembered.
async function modes(page) {
  const found = {};
  for (const name of ["Read", "All", "Do"]) {
    const button = page.locator("css:light=.course-view button", { hasText: name });
    if (!(await button.count())) return null;
    await button.click();
    found[name.toLowerCase()] = await page.evaluate(() => {
      const there = (selector) => [...document.querySelectorAll(`.bd-article ${selector}`)];
      const laid = (one) => getComputedStyle(one).display !== "none" && !one.closest("[hidden]");
      return {
        statements: there(".exercise > section").filter(laid).length,
        code: there(".cell > .cell_input").filter(laid).length,
        covered: there(".course-answer[hidden]").length,
        closed: there("details:not([open])").length,
        pressed: [...document.querySelectorAll(".course-view [aria-pressed=true]")].map((one) => one.textContent),
        kept: localStorage.getItem("view"),
      };
    });
  }
  return found;
}

// Every long statement of an exercise: how much of it is to be seen, and how much after it was asked for.
async function unfold(page) {
  return page.evaluate(() => [...document.querySelectorAll(".course-more")].map((more) => {
    const code = more.previousElementSibling.querySelector("pre");
    const seen = () => code.clientHeight / code.scrollHeight;
    const before = seen();
    more.querySelector("summary").click();
    return [before, seen()];
  }));
}

// Other fonts for text and code, as a style sheet.
function faces() {
  return Object.entries(FONTS).map(([font, files]) => {
    const faces = Object.entries(files).flatMap(([role, name]) =>
      [400, 700].map((weight) => {
        const file = readFileSync(new URL(`node_modules/@fontsource/${name}/files/${name}-latin-${weight}-normal.woff2`, import.meta.url));
        const url = `data:font/woff2;base64,${file.toString("base64")}`;
        return `@font-face { font-family: "tried ${name}"; font-weight: ${weight}; src: url("${url}"); }`;
      }));
    const names = Object.entries(files).map(([role, name]) => `--course-${{ text: "font", code: "mono" }[role]}: "tried ${name}";`);
    return [...faces, `html[data-tried="${font}"] { ${names.join(" ")} }`].join("\n");
  }).join("\n");
}

// How wide some letters of its text are, how far the page goes beyond its window, and formulas that break where
// they should not.
async function layout() {
  await Promise.all([...document.fonts].filter((font) => font.family.includes("tried")).map((font) => font.load()));
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `100px ${getComputedStyle(document.querySelector("article") ?? document.body).fontFamily}`;
  return {
    width: pen.measureText("a page of text").width,
    sideways: document.documentElement.scrollWidth - innerWidth,
    broken: [...document.querySelectorAll("div.math .katex-html")].flatMap((line) => {
      const parts = [...line.querySelectorAll(":scope > .base")];
      const last = parts.filter((part, k) => parts[k + 1]?.getBoundingClientRect().left <= part.getBoundingClientRect().left);
      const allowed = (part) => [...part.children].findLast((one) => !one.matches(".mspace"))?.matches(".mrel, .mbin");
      return last.filter((part) => !allowed(part)).map(() => line.parentElement.querySelector("math").textContent);
    }),
  };
}

// How small letters in figures get (formulas may have smaller ones above and below).
function letters() {
  const all = [...document.querySelectorAll(".course-figure text")].filter((text) => text.textContent && text.checkVisibility());
  const sizes = all.map((text) => {
    const { a, b } = text.getScreenCTM(); // it may stand upright
    return parseFloat(getComputedStyle(text.firstChild.nodeName === "tspan" ? text.firstChild : text).fontSize) * Math.hypot(a, b);
  });
  return sizes.length ? Math.min(...sizes) : null;
}

// Does everything stand where it stood when this was asked before?
function boxes() {
  const before = globalThis.stood;
  const now = globalThis.stood = [...document.body.querySelectorAll(":not(svg *)")].filter((one) => one.checkVisibility()).flatMap((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [one.className.baseVal ?? one.className, ...[x, y + scrollY, width, height].map((number) => Math.round(10 * number))];
  });
  return before?.length === now.length && now.every((part, k) => part === before[k]);
}

// Less to lay out and to judge, where nothing moves by it. Of the tokens of code that look the same one stays, and
// the others become text.
function merge(where) {
  const looks = new Set();
  const repeated = [...document.querySelectorAll(`${where} span:not(:has(*))`)].filter((token) => {
    const { color, backgroundColor, fontWeight } = getComputedStyle(token);
    const look = [token.className, color, backgroundColor, fontWeight].join(" ");
    return looks.has(look) || !looks.add(look);
  });
  repeated.forEach((token) => token.replaceWith(token.textContent));
}

// How thin the letters of what matches get.
function weights(where) {
  return Math.min(900, ...[...document.querySelectorAll(where)].map((one) => Number(getComputedStyle(one).fontWeight)));
}

// Each part of a formula becomes its first letters, as wide as it was; what it ends with stays if a line may break
// there. What is read out of a formula stays as text; of drawings the words stay.
function shorten(where) {
  const parts = [...document.querySelectorAll(`.katex-html .base${where}`)];
  const widths = parts.map((part) => part.getBoundingClientRect().width / parseFloat(getComputedStyle(part).fontSize));
  parts.forEach((part, k) => {
    part.style.width = `${widths[k]}em`;
    const end = [...part.children].findLast((one) => !one.matches(".mspace"));
    const kept = end?.matches(".mrel, .mbin") ? end.cloneNode() : "";
    part.replaceChildren(part.querySelector(".strut") ?? "", part.textContent.trim().slice(0, 2), kept);
  });
  document.querySelectorAll(`.katex-mathml math:not(:has(a))${where}`).forEach((read) => read.replaceChildren(read.textContent));
  const told = "[role], [tabindex], [aria-label], [aria-labelledby]";
  const shapes = "path, line, circle, rect, polyline, polygon, use, defs";
  document.querySelectorAll(`svg :is(${shapes}):not(${told})${where}`).forEach((shape) => shape.remove());
  for (const group of [...document.querySelectorAll(`svg g:not(${told})${where}`)].reverse()) { // the inner ones first
    if (!group.firstElementChild) group.remove();
    else if (!group.attributes.length) group.replaceWith(...group.childNodes);
  }
}

// What axe finds, and the looks of words and links whose colors are told apart; `known` are those of before.
async function violations([rules, known]) {
  const behind = new Map([[null, { look: "", placed: false, blended: false, cut: false }]]);
  const grounds = (one) => {
    if (!behind.has(one)) {
      const { opacity, filter, backgroundColor, backgroundImage, position, top, bottom, clipPath } = getComputedStyle(one);
      const under = grounds(one.parentElement);
      const blended = under.blended || opacity !== "1" || filter !== "none";
      const covers = backgroundColor.startsWith("rgb(") && !blended; // what lies below it is not seen
      const ground = [backgroundColor, backgroundImage, opacity, filter].join(" ");
      // what sticks to a side alone stays in its place until it is scrolled sideways
      const moved = /absolute|fixed/.test(position) || (position === "sticky" && (top !== "auto" || bottom !== "auto"));
      behind.set(one, {
        look: covers ? ground : ground === "rgba(0, 0, 0, 0) none 1 none" ? under.look : `${under.look} / ${ground}`,
        placed: !covers && (under.placed || moved), // it may lie over something else
        blended,
        cut: under.cut || clipPath === "inset(50%)", // to nothing: it is read out alone
      });
    }
    return behind.get(one);
  };
  const font = (one) => {
    const { color, fontFamily, fontSize, fontWeight, fontStyle, textShadow } = getComputedStyle(one);
    return [color, fontFamily, fontSize, fontWeight, fontStyle, textShadow].join(" ");
  };
  const looks = new Set(known);
  const fresh = { "color-contrast": new Map(), "link-in-text-block": new Map() };
  // Of words, and of links, that look the same on the same grounds one is judged: the others have no mark for the rule
  const judge = (rule, one, ...seen) => {
    const { look, placed, cut } = grounds(one);
    const whole = [rule, ...seen, look].join(" ");
    const judged = !cut && (placed || !looks.has(whole));
    one.toggleAttribute(`data-${rule}`, judged);
    if (!judged || placed) return;
    looks.add(whole);
    fresh[rule].set(one, whole);
  };
  document.querySelectorAll("[data-color-contrast]").forEach((one) => one.removeAttribute("data-color-contrast"));
  for (const one of document.body.querySelectorAll("*")) {
    const field = one.matches("input, select, textarea"); // beside these, axe judges what has text
    const text = [...one.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE).map((part) => part.data.trim()).join("");
    const read = one.checkVisibility() && !one.closest(":disabled, [aria-disabled=true]"); // else axe lets it be
    // of words in a drawing axe never says on what color they stand
    if ((field || text.length > 1) && read && !one.closest("svg")) judge("color-contrast", one, field, font(one));
  }
  for (const link of document.querySelectorAll("a[href], [role=link]")) {
    const { display, textDecorationLine } = getComputedStyle(link);
    let block = link.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    if (display === "inline") judge("link-in-text-block", link, textDecorationLine, font(link), font(block));
  }
  const marked = Object.keys(fresh).map((id) => ({ id, selector: `[data-${id}]` }));
  if (rules && !document.querySelector(marked.map(({ selector }) => selector).join())) return { all: [], enough: [] };
  axe.configure({ noHtml: true, rules: marked });
  const found = await axe.run({ resultTypes: ["violations", "incomplete"], preload: false, elementRef: true, ...(rules && { runOnly: rules }) });
  for (const { id, nodes } of [...found.violations, ...found.incomplete]) nodes.forEach((node) => fresh[id]?.delete(node.element));
  // axe takes a header or button that is a formula for empty: it does not see the MathML that is read out
  const formula = (id, node) =>
    ["empty-table-header", "button-name"].includes(id) && document.querySelector(node.target[0]).querySelector("math");
  const all = found.violations.flatMap(({ id, nodes }) =>
    nodes
      .filter((node) => !formula(id, node))
      .map((node) => `${id}: ${node.target} ${node.failureSummary}`)
  );
  return { all, enough: Object.values(fresh).flatMap((judged) => [...judged.values()]) };
}

// All places that match, found without a walk through the whole page (Playwright looks into each element for more).
const all = (page, selector) => page.locator(`css:light=${selector}`).all();

// Every attention map: what it says at first, after keys, while held, and let go.
async function explore(page) {
  const found = [];
  for (const map of await all(page, ".course-attention")) {
    const says = map.locator("[role=status]");
    const rows = map.locator("tbody th button");
    const told = [await says.textContent()];
    await rows.first().focus();
    for (const key of ["Home", "ArrowDown", "ArrowRight", "Enter"]) {
      await page.keyboard.press(key);
      told.push(await says.textContent());
    }
    await rows.last().hover();
    told.push(await says.textContent());
    await page.keyboard.press("Escape");
    await rows.first().hover();
    await says.hover(); // each row is scrolled to the same place, and there the pointer had been
    await rows.last().hover();
    told.push(await says.textContent());
    found.push({ told, queries: await rows.allTextContents() });
  }
  return found;
}

// Every kernel to step through: what it says at first, after a step, a key and a click, and after
// each choice; how large the output is then.
async function step(page) {
  const found = [];
  for (const root of await all(page, ".course-convolution")) {
    const says = root.locator("[role=status]");
    const output = root.locator("table").last();
    const told = [await says.textContent()];
    await root.getByRole("button", { name: "Next" }).press("Enter");
    told.push(await says.textContent());
    await output.locator("[aria-pressed=true]").press("ArrowDown");
    told.push(await says.textContent());
    await page.keyboard.press("End");
    told.push(await says.textContent());
    await output.locator("button").first().click();
    told.push(await says.textContent());
    const marked = await root.locator("table").first().locator("[data-on]").count();
    const sizes = [await output.locator("td").count()];
    for (const [name, value] of [["padding", "2"], ["stride", "3"], ["dilation", "2"]]) {
      await root.getByRole("group", { name, exact: true }).getByRole("button", { name: value }).click();
      sizes.push(await output.locator("td").count());
    }
    found.push({ told, marked, sizes });
  }
  return found;
}

const TYPED = "naïve ½ 日本 🙂\u3000it's 3.14  \n\n \x1c the\ufeff  end\xa0 ";

// The smaller widgets: what each says before and after a reader does something with it.
const USES = {
  ".course-draw": (board) => board.getByRole("button", { name: "start again" }).press("Enter"),
  ".course-weigh": (board) => board.getByRole("button", { name: "next picture" }).press("Enter"),
  ".course-neighbors": (table) => table.locator("input").fill("class"),
  ".course-beam": (board) => board.locator("g[tabindex='0']").press("ArrowLeft"),
  ".course-tokens": (board) => board.locator("textarea").fill(TYPED),
  ".course-valley": (valley) => valley.getByLabel(/^learning rate/).first().press("End"),
  ".course-sketch": async (board) => {
    await board.locator("input").first().press("ArrowUp");
    const box = await board.locator("svg").boundingBox();
    await board.page().mouse.move(box.x + 0.3 * box.width, box.y + 0.2 * box.height);
    await board.page().mouse.down();
    await board.page().mouse.move(box.x + 0.9 * box.width, box.y + 0.7 * box.height, { steps: 9 });
    await board.page().mouse.up();
    await board.getByRole("button", { name: "Compare" }).press("Enter");
  },
  ".course-spirals": (picture) => picture.getByRole("button", { name: "100 steps" }).press("Enter"),
  ".course-histograms": (table) => table.getByRole("button", { name: "Next step" }).press("Enter"),
  ".course-temperature": (row) => row.getByRole("checkbox").press("Space"),
  ".course-filters": (board) => board.getByLabel("top-k").press("Home"),
  ".course-stages": (samples) => samples.getByRole("button").nth(1).press("Enter"),
  ".course-wordmap": (map) => map.getByRole("button", { name: "another" }).press("Enter"),
  ".course-shift": (digit) => digit.getByRole("button", { name: "move right" }).press("ArrowLeft"),
  ".course-patches": (photo) => photo.getByRole("button", { name: "row 2, column 3" }).press("Enter"),
  ".course-disagree": (pair) => pair.getByLabel("another").selectOption("ViT"),
  ".course-verdict": (board) => board.getByRole("radio").first().press("ArrowRight"),
  ".course-filled": (line) => line.getByRole("button", { name: "the left side" }).press("Enter"),
  ".course-gates": (board) => board.getByLabel("forget gates").fill("4"),
  ".course-guess": async (board) => {
    await board.getByLabel("beside").selectOption("nobody");
    await board.getByRole("slider").press("ArrowLeft");
  },
  ".course-pull": (plane) => plane.getByRole("button", { name: "Reset" }).press("Enter"),
  ".course-rank": (board) => board.getByRole("slider").press("ArrowLeft"),
  ".course-tilewalk": (walk) => walk.getByLabel("rescale ℓ").press("Space"),
  ".course-machine": async (pass) => {
    await pass.getByRole("button", { name: "positions" }).press("Enter");
    await pass.locator("[role=status]", { hasText: "With all parts in place" }).waitFor();
  },
  ".course-reader": (board) => board.getByRole("button", { name: "draw my own" }).press("Enter"),
  ".course-patching": (board) => board.getByRole("button", { name: "one reshape" }).press("Enter"),
  ".course-dials": (dials) => dials.getByRole("slider", { name: "distance" }).press("ArrowRight"),
  ".course-race": (race) => race.getByRole("button", { name: "Previous step" }).press("Enter"),
  ".course-secant": (curve) => curve.getByRole("button", { name: "Next halving" }).press("Enter"),
  ".course-broadcast": (board) => board.getByRole("group", { name: "B" }).getByRole("button", { name: "1 × 3" }).press("Enter"),
  ".course-bayes": (square) => square.getByRole("button", { name: "negative" }).press("Enter"),
  ".course-tilt": (board) => board.getByRole("button", { name: "Next β" }).press("Enter"),
  ".course-margin": async (plane) => {
    await plane.getByRole("button", { name: "0.02" }).press("Enter");
    await plane.getByRole("button", { name: "Next" }).press("Enter");
  },
  ".course-denoise": (plane) => plane.getByRole("button", { name: "straight line" }).press("Enter"),
  ".course-bleu": async (board) => board.getByLabel("Your translation", { exact: true }).fill(await board.locator(".course-english span").innerText()),
  ".course-budget": (plane) => plane.getByRole("button", { name: "Best size" }).press("Enter"),
  ".course-outlier": (board) => board.getByRole("button", { name: "per row" }).press("Enter"),
  ".course-superposition": (board) => board.getByRole("button", { name: "x₂ = 0" }).press("Enter"),
  ".course-negatives": (board) => board.getByLabel("scale s").press("End"),
  ".course-devices": (plan) => plan.getByRole("slider").press("ArrowRight"),
  ".course-votes": (board) => board.getByRole("button", { name: "the check" }).press("Enter"),
  ".course-matrix": (plane) => plane.getByRole("button", { name: "Next application" }).press("Enter"),
  ".course-fit": (plane) => plane.getByRole("button", { name: "10 steps" }).press("Enter"),
  ".course-lookup": (plane) => plane.getByLabel("angle").press("End"),
  ".course-backprop": (network) => network.locator("label:visible").first().click(),
};

// Scrolls to a part of the page until its section is laid out (until then it has no text): again in each frame,
// since sections above it that are laid out meanwhile push it away.
async function near(page, part) {
  const shown = (one) => {
    if (one.checkVisibility({ contentVisibilityAuto: true })) return true;
    one.scrollIntoView({ block: "center" });
    return false;
  };
  await page.waitForFunction(shown, await part.elementHandle());
  await part.scrollIntoViewIfNeeded();
}

async function use(page) {
  const found = [];
  const there = await page.evaluate((names) => names.filter((name) => document.querySelector(name)), Object.keys(USES));
  for (const name of there) {
    for (const widget of await all(page, name)) {
      await near(page, widget);
      // What moves above it can push it out of sight once more, where it has no text.
      const told = await page.waitForFunction((one) => one.innerText, await widget.elementHandle());
      const before = await told.jsonValue();
      await USES[name](widget);
      found.push({ name, before, after: await widget.innerText() });
    }
  }
  return found;
}

// Every board to draw on, from an empty one: after keys, after a stroke, and where the keys stopped.
async function paint(page) {
  const found = [];
  for (const root of await all(page, ".course-draw")) {
    const pixels = root.getByRole("gridcell");
    const unknown = () => root.locator("[data-unknown]").count();
    await root.getByRole("button", { name: "start again" }).click();
    await pixels.first().focus();
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowDown", "Space"]) await page.keyboard.press(key);
    const keyed = [await page.evaluate(() => document.activeElement.ariaLabel), await unknown()];
    const [from, to] = [await pixels.nth(40).boundingBox(), await pixels.nth(47).boundingBox()];
    await page.mouse.move(from.x + 9, from.y + 9);
    await page.mouse.down();
    await page.mouse.move(to.x + 9, to.y + 9, { steps: 40 });
    await page.mouse.up();
    await page.mouse.move(from.x + 9, from.y - 40);
    const kept = () => page.evaluate(() => localStorage.getItem("digit"));
    const drawn = [await unknown(), await kept()];
    await root.getByRole("button", { name: "a real digit" }).click();
    await pixels.first().press("Space"); // on somebody else's digit: nothing to keep
    const other = await kept();
    await root.getByRole("button", { name: "use my digit" }).click();
    found.push({ keyed, stroke: drawn[0], kept: drawn[1], other, ink: await root.getByLabel(/: ink$/).count() });
  }
  return found;
}

// Every player of a known number of steps: what it counts after Reset, Next, an arrow key and End; whether it plays at first, after Space, off the
// screen, and where it has come meanwhile; whether there is Play for those who prefer less motion.
async function play(page) {
  const found = [];
  for (const bar of await all(page, ".course-film:has(input:not([hidden]))")) {
    await near(page, bar);
    const slide = bar.getByRole("slider");
    const count = () => bar.locator("output").innerText();
    const root = await bar.evaluateHandle((one) => one.closest(".course-widget"));
    const playing = () => root.evaluate((one) => one.hasAttribute("data-playing"));
    const [told, plays] = [[], [await playing()]];
    for (const act of [
      () => bar.getByRole("button", { name: "Reset" }).press("Enter"),
      () => bar.getByRole("button", { name: /^Next/ }).press("Enter"),
      () => slide.press("ArrowRight"),
      () => slide.press("End"),
      () => slide.press("Home"),
    ]) {
      await act();
      told.push(await count());
    }
    await slide.press(" ");
    plays.push(await playing());
    await page.waitForFunction(([one, text]) => one.textContent !== text, [await bar.locator("output").elementHandle(), told[0]]);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForFunction((one) => !one.hasAttribute("data-playing"), root, { timeout: 5000 }).catch(() => {});
    plays.push(await playing());
    await page.emulateMedia({ reducedMotion: "reduce" });
    const calm = await bar.locator(".course-play").waitFor({ state: "hidden", timeout: 5000 }).then(() => true, () => false);
    await page.emulateMedia({ reducedMotion: null });
    found.push({ told, plays, calm });
  }
  return found;
}

// What can be dragged: where the valley's path starts, before and after a key and a drag; what the digit
// says after a stroke over its first row; where the moved digit is.
async function drag(page) {
  const stroke = async (part, [x0, y0], [x1, y1]) => {
    const box = await part.boundingBox();
    await page.mouse.move(box.x + x0, box.y + y0);
    await page.mouse.down();
    await page.mouse.move(box.x + x1, box.y + y1, { steps: 30 });
    await page.mouse.up();
  };
  const found = { starts: [], changed: [], moved: [] };
  for (const valley of await all(page, ".course-valley")) {
    const ring = valley.locator(".course-start");
    const places = [await ring.getAttribute("aria-valuetext")];
    await ring.press("ArrowRight");
    places.push(await ring.getAttribute("aria-valuetext"));
    await ring.scrollIntoViewIfNeeded();
    await stroke(ring, [9, 9], [60, 9]);
    places.push(await ring.getAttribute("aria-valuetext"));
    found.starts.push(places);
  }
  for (const digit of await all(page, ".course-weigh")) {
    await digit.getByRole("button", { name: "as it was" }).click();
    await digit.locator(".course-line").first().scrollIntoViewIfNeeded();
    await stroke(digit.locator(".course-line").first(), [9, 9], [230, 9]);
    found.changed.push(await digit.locator("[data-changed]").count(), await digit.locator("[role=status]").innerText());
  }
  for (const digit of await all(page, ".course-shift")) {
    await digit.getByRole("button", { name: "back to the start" }).click();
    await digit.locator(".course-board").scrollIntoViewIfNeeded();
    await stroke(digit.locator(".course-board"), [40, 40], [110, 40]);
    found.moved.push(await digit.locator("[role=status]").innerText());
  }
  return found;
}

async function search(url, words) {
  const outside = [];
  const page = await blank(outside);
  await page.goto(url);
  await page.keyboard.press("Control+K");
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#search-results li a");
  const links = await page.locator("#search-results li a").evaluateAll((all) => all.map((a) => a.href));
  await page.goto(links[0]);
  const text = await page.locator("article").textContent();
  // sections are found in the text of a page, which no script may read from a file
  const html = readFileSync(new URL(links[0].split(/[?#]/)[0]), "utf8");
  await page.goBack();
  const sections = await page.evaluate(([html, words]) => Search.sections(html, [words]), [html, words]);
  const exercise = await page.evaluate(() => Search.sections(`<div role="main"><section id="a"><h2>A</h2>
    <div class="exercise" id="b"><p class="admonition-title">B</p><section id="c">word</section></div></section></div>`, ["word"]));
  await page.close();
  return { outside, links, text, sections, exercise, known: sections.every(({ id }) => html.includes(`id="${id}"`)) };
}

const pages = {};
for await (const [url, seen] of visits()) pages[url] = seen;
const found = urls.some((url) => url.endsWith("/search.html")) && (await search(urls[0], "softmax"));
await browser.close();
console.log(JSON.stringify({ pages, search: found }));
