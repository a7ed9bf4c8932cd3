// What the widgets share: `book.widgets.board` hands the names of this file to each of their scripts.

// Every widget of that name on the page, once, with the data that its page gave it. A page has the script once, after
// the first of them: the others are found when all of the page is there.
const widgets = (name, start) => {
  const begin = () => {
    for (const root of document.querySelectorAll(`.course-${name}:not([data-ready])`)) {
      root.dataset.ready = "";
      start(root, JSON.parse(root.dataset.model ?? "null"));
    }
  };
  begin();
  document.addEventListener("DOMContentLoaded", begin);
};

const element = (name, className = "", text = "") => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
};

const button = (text, act) => {
  const made = element("button", "", text);
  made.type = "button";
  if (act) made.addEventListener("click", act);
  return made;
};

// A sentence that is read out when it changes.
const sentence = () => {
  const says = element("p", "course-says");
  says.setAttribute("role", "status");
  return says;
};

// A part of an SVG.
const drawn = (parent, name, attributes) => {
  const made = document.createElementNS(parent.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
};

// What an arrow key means: rows down and columns to the right.
const ARROWS = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

// Buttons that are one tab stop: the arrow keys go from one to the next, and by rows where there are columns. What is
// returned makes another one the stop.
const oneStop = (group, columns = 1) => {
  const all = () => [...group.querySelectorAll("button")].filter((one) => !one.hidden);
  const stop = (at) => all().forEach((one, place) => { one.tabIndex = place === Math.max(at, 0) ? 0 : -1; });
  group.addEventListener("focusin", ({ target }) => all().includes(target) && stop(all().indexOf(target)));
  group.addEventListener("keydown", (event) => {
    const [by, from] = [ARROWS[event.key], all().indexOf(event.target)];
    if (!by || from < 0) return;
    event.preventDefault();
    all()[from + columns * by[0] + by[1]]?.focus();
  });
  stop(0);
  return stop;
};

// Buttons of which one is pressed, one tab stop: `act` gets its value. `mark` shows another one as pressed, or none.
const chooser = (label, values, act, text = String) => {
  const group = element("div", "course-tools", label);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label.replace(":", "").trim());
  const mark = (value) => {
    buttons.forEach((one, index) => one.setAttribute("aria-pressed", values[index] === value));
    stop(values.indexOf(value));
  };
  const press = (value) => {
    mark(value);
    act(value);
  };
  const buttons = values.map((value) => button(text(value), () => press(value)));
  group.append(...buttons);
  const stop = oneStop(group);
  return { group, press, mark };
};

const minus = (text) => String(text).replace("-", "−");
const within = (place, count) => Math.min(Math.max(place, 0), count - 1);

// A slider over a list of values, with its name before it and the value behind it.
const slider = (name, values, value, act, text = String) => {
  const label = element("label", "course-slider", `${name} `);
  const output = element("output");
  const input = Object.assign(element("input"), { type: "range", min: 0, max: values.length - 1, value: values.indexOf(value) });
  const tell = () => {
    output.textContent = text(values[input.value]);
    input.ariaValueText = output.textContent;
  };
  input.addEventListener("input", () => {
    tell();
    act(values[input.value]);
  });
  tell();
  label.append(input, output);
  return label;
};

// A square picture of pixels, which are buttons: the arrow keys go from one to the next.
const pixelBoard = (side, go) => {
  const board = element("div", "course-board");
  board.setAttribute("role", "grid");
  board.setAttribute("aria-label", `A picture of ${side} by ${side} pixels`);
  const cells = Array.from({ length: side * side }, () => {
    const cell = button("");
    cell.setAttribute("role", "gridcell");
    return cell;
  });
  for (let row = 0; row < side; row += 1) {
    const line = element("div", "course-line");
    line.setAttribute("role", "row");
    line.append(...cells.slice(side * row, side * row + side));
    board.append(line);
  }
  const place = (pixel) => [Math.floor(pixel / side), pixel % side];
  const show = (pixel, ink, words, on) => {
    const [row, column] = place(pixel);
    cells[pixel].style.setProperty("--ink", ink.toFixed(3));
    cells[pixel].tabIndex = on ? 0 : -1;
    cells[pixel].setAttribute("aria-label", `row ${row + 1}, column ${column + 1}: ${words}`);
  };
  board.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    const [row, column] = place(cells.indexOf(event.target));
    const to = side * within(row + by[0], side) + within(column + by[1], side);
    go(to);
    cells[to].focus();
  });
  return { board, cells, show };
};

// Strokes over the pixels of a board, by a pointer or by Space: all that it passes get what `first` says of its first one.
const strokes = (board, cells, first, paint) => {
  let ink = null;
  board.addEventListener("pointerdown", (event) => {
    const pixel = cells.indexOf(event.target);
    if (pixel < 0) return;
    event.target.releasePointerCapture?.(event.pointerId); // a finger's pointer stays where it began
    ink = first(pixel);
    paint(pixel, ink);
  });
  board.addEventListener("pointermove", (event) => {
    const pixel = ink === null ? -1 : cells.indexOf(document.elementFromPoint(event.clientX, event.clientY));
    if (pixel >= 0) paint(pixel, ink);
  });
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, () => { ink = null; });
  board.addEventListener("keydown", (event) => {
    const pixel = event.key === " " || event.key === "Enter" ? cells.indexOf(event.target) : -1;
    if (pixel < 0) return;
    event.preventDefault();
    paint(pixel, first(pixel));
  });
};

// One bar and one number for each class.
const barChart = (count) => {
  const bars = element("div", "course-bars");
  const rows = Array.from({ length: count }, (_, index) => {
    const row = element("div", "course-bar");
    const [track, bar, number] = [element("span"), element("i"), element("span")];
    track.append(bar);
    row.append(element("b", "", index), track, number);
    bars.append(row);
    return { bar, number };
  });
  const show = (index, share, text) => {
    rows[index].bar.style.setProperty("--share", share.toFixed(4));
    rows[index].number.textContent = text;
  };
  return { bars, show };
};

// A board with its tools above, its bars beside and its sentence below.
const laidOut = (root, tools, board, bars, says) => {
  const [above, both] = [element("div", "course-tools"), element("div", "course-both")];
  above.append(...tools);
  both.append(board, bars);
  root.replaceChildren(above, both, says);
};

// A color of the page's theme, as three numbers.
const colorOf = (root, name) => getComputedStyle(root).getPropertyValue(name).trim().match(/[\da-f]{2}/gi).map((two) => parseInt(two, 16));
// Draws again when the theme changes.
const onTheme = (draw) => new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
