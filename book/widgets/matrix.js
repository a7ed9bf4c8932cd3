// A matrix of 2 × 2 moves a grid and a vector. Its columns and the vector are dragged, or moved by the arrow keys; the
// player applies it again and again.
widgets("matrix", (root, { matrices, vector, reach, lines, times, axes }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place, value } = onAxes(axes);
  const [mesh, way] = [svg.querySelector(".course-lines"), svg.querySelector(".course-way")];
  const parts = Object.fromEntries(["first", "second", "before", "after"].map((name) => [name, svg.querySelector(`.course-${name}`)]));
  let [matrix, x, applied] = [[[0, 0], [0, 0]], vector, 1];

  const map = (m, [one, other]) => m.map((row) => row[0] * one + row[1] * other);
  const column = (m, k) => m.map((row) => row[k]);
  const product = (m, other) => [0, 1].map((row) => [0, 1].map((k) => map(m, column(other, k))[row]));
  const power = (count) => Array.from({ length: count }).reduce((made) => product(matrix, made), [[1, 0], [0, 1]]);
  const raised = (number) => (number === 1 ? "" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[number]);
  const signed = (number) => (number < 0 ? `(${number.toFixed(1)})` : number.toFixed(1));

  const put = (part, end, name) => {
    const [[across, down], far] = [place(end), Math.hypot(...end) || 1];
    const [line, circle, text] = part.children;
    line.setAttribute("d", lineOf([place([0, 0]), [across, down]]));
    for (const [key, to] of [["cx", across], ["cy", down]]) circle.setAttribute(key, to.toFixed(1));
    for (const [key, to] of [["x", across + (17 * end[0]) / far], ["y", down - (17 * end[1]) / far + 5]]) text.setAttribute(key, to.toFixed(1));
    if (name) text.textContent = name;
  };
  const draw = () => {
    const made = power(applied);
    const span = Array.from({ length: 2 * lines + 1 }, (_, k) => k - lines);
    const ends = span.flatMap((k) => [[[k, -lines], [k, lines]], [[-lines, k], [lines, k]]]);
    mesh.setAttribute("d", ends.map((pair) => lineOf(pair.map((end) => place(map(made, end))))).join(""));
    put(parts.first, column(matrix, 0));
    put(parts.second, column(matrix, 1));
    put(parts.before, x);
    const path = Array.from({ length: applied + 1 }, (_, k) => map(power(k), x));
    put(parts.after, path.at(-1), applied ? `W${raised(applied)} x` : "x");
    way.setAttribute("d", applied > 1 ? lineOf(path.map(place)) : "");
    for (const [k, name] of ["first", "second", "before"].entries()) {
      const at = [column(matrix, 0), column(matrix, 1), x][k];
      const grip = grips[name];
      grip.setAttribute("aria-valuenow", at[0].toFixed(1));
      grip.setAttribute("aria-valuetext", minus(`(${at.map((part) => part.toFixed(1)).join(", ")})`).replace(" -", " −"));
    }
    const result = map(matrix, x);
    const rows = matrix.map(([one, other], k) => `Row ${k + 1}: ${one.toFixed(1)} · ${signed(x[0])} + ${signed(other)} · ${signed(x[1])} = ${result[k].toFixed(2)}.`);
    const grown = Math.hypot(...path.at(-1)) / (Math.hypot(...x) || 1);
    says.textContent = (applied === 1 ? rows.join(" ") : `Applied ${applied} times: the vector is ${grown.toPrecision(2)} times as long as x.`).replaceAll("-", "−");
  };

  const grips = {};
  const round = (number) => Math.min(Math.max(Math.round(number * 10) / 10, -reach), reach);
  const move = (name, to) => {
    const [one, other] = to.map((part) => round(part) || 0); // no −0
    if (name === "before") x = [one, other];
    else {
      const k = name === "first" ? 0 : 1;
      matrix = matrix.map((row, at) => row.map((part, k2) => (k2 === k ? [one, other][at] : part)));
      which.mark(null);
    }
    draw();
  };
  const now = (name) => (name === "before" ? x : column(matrix, name === "first" ? 0 : 1));
  for (const [name, label] of [["first", "First column of W"], ["second", "Second column of W"], ["before", "The vector x"]]) {
    const grip = parts[name].querySelector("circle");
    grips[name] = grip;
    for (const [key, to] of [["tabindex", 0], ["role", "slider"], ["aria-label", `${label}: arrow keys move it`], ["aria-valuemin", -reach], ["aria-valuemax", reach]]) grip.setAttribute(key, to);
    grip.addEventListener("keydown", (event) => {
      const by = ARROWS[event.key];
      if (!by) return;
      event.preventDefault();
      move(name, [now(name)[0] + 0.1 * by[1], now(name)[1] - 0.1 * by[0]]);
    });
  }
  let held = "before";
  dragOver(svg, (point, first) => {
    const to = value(point);
    const far = (name) => Math.hypot(now(name)[0] - to[0], now(name)[1] - to[1]);
    if (first) held = ["before", "second", "first"].reduce((found, name) => (far(name) < far(found) ? name : found));
    move(held, to);
  });
  svg.setAttribute("role", "group"); // the dots in it can be moved

  const run = player(root, {
    action: "Apply W",
    name: "application",
    every: 600,
    go: (to) => {
      applied = to;
      draw();
    },
  });
  const which = chooser("W:", Object.keys(matrices), (name) => {
    matrix = matrices[name];
    draw();
  });
  which.mark(Object.keys(matrices)[0]);
  matrix = Object.values(matrices)[0];
  run.mark(1, times);
  root.prepend(run.bar, which.group);
  root.append(element("p", "course-hint", "Drag the columns or x, or move them with Tab and the arrow keys."));
  draw();
});
