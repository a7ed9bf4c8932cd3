// A line that gradient descent fits to points, which can be dragged; beside it the way of w and b over the loss.
widgets("fit", (root, { points, rates, rate, data, plane }) => {
  const STEPS = 60;
  const LEVELS = [0.05, 0.2, 0.5, 1, 2, 4, 8]; // above the smallest loss
  const [left, right] = root.querySelectorAll("svg");
  const says = root.querySelector("[role=status]");
  const [near, far] = [onAxes(data), onAxes(plane)];
  let step = 0;

  const mean = (of) => points.reduce((sum, [x, y]) => sum + of(x, y), 0) / points.length;
  const loss = ([w, b]) => mean((x, y) => (w * x + b - y) ** 2);
  const descend = (steps) => {
    const path = [[0, 0]];
    for (let k = 0; k < steps; k += 1) {
      const [w, b] = path.at(-1);
      path.push([w - 2 * rate * mean((x, y) => (w * x + b - y) * x), b - 2 * rate * mean((x, y) => w * x + b - y)]);
    }
    return path;
  };
  const lowest = () => {
    const [x, y] = [mean((one) => one), mean((_, one) => one)];
    const w = mean((one, other) => (one - x) * (other - y)) / mean((one) => (one - x) ** 2);
    return [w, y - w * x];
  };
  // where the loss is higher than its lowest by so much: an ellipse
  const contour = (level, [w0, b0]) => {
    const [square, one] = [Math.sqrt(mean((x) => x * x)), mean((x) => x)];
    const [low, rest] = [one / square, Math.sqrt(1 - (one / square) ** 2)];
    return Array.from({ length: 73 }, (_, k) => {
      const db = (Math.sqrt(level) * Math.sin((k * Math.PI) / 36)) / rest;
      return far.place([w0 + (Math.sqrt(level) * Math.cos((k * Math.PI) / 36) - low * db) / square, b0 + db]);
    });
  };

  // what leaves the axes is cut off
  const inside = (svg, { box: [x0, x1, y0, y1] }) => {
    const size = { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
    return drawn(svg, "svg", { ...size, viewBox: `${x0} ${y0} ${size.width} ${size.height}` });
  };
  const [here, there] = [inside(left, data), inside(right, plane)];
  const dots = [...left.querySelectorAll("circle")];
  const line = (parent, name) => drawn(parent, "path", { class: `course-${name}` });
  const [errors, now] = [line(here, "errors"), line(here, "now")];
  const best = left.querySelector(".course-best");
  here.prepend(best);
  left.append(...dots);
  const rings = LEVELS.map(() => line(there, "ring"));
  const [cross, way, steps] = [line(there, "cross"), line(there, "way"), line(there, "steps")];
  const dot = drawn(there, "circle", { r: 5, class: "course-dot" });

  const through = ([w, b]) => lineOf(data.x.map((x) => near.place([x, w * x + b])));
  const draw = () => {
    const [path, least] = [descend(step), lowest()];
    const [w, b] = path.at(-1);
    const seen = path.map(([one, other]) => far.place([one, other].map((part) => Math.max(-99, Math.min(99, part)))));
    dots.forEach((circle, k) => near.place(points[k]).forEach((to, axis) => circle.setAttribute(axis ? "cy" : "cx", to.toFixed(1))));
    best.setAttribute("d", through(least));
    now.setAttribute("d", Math.abs(w) + Math.abs(b) < 1e4 ? through([w, b]) : "");
    errors.setAttribute("d", points.map(([x, y]) => lineOf([near.place([x, y]), near.place([x, Math.max(-99, Math.min(99, w * x + b))])])).join(""));
    rings.forEach((ring, k) => ring.setAttribute("d", lineOf(contour(LEVELS[k], least))));
    const [x, y] = far.place(least).map((part) => part.toFixed(1));
    cross.setAttribute("d", `M${x} ${y}m-6 0h12m-6-6v12`);
    way.setAttribute("d", lineOf(seen));
    steps.setAttribute("d", seen.map(([one, other]) => `M${one.toFixed(1)} ${other.toFixed(1)}h0`).join(""));
    seen.at(-1).forEach((to, axis) => dot.setAttribute(axis ? "cy" : "cx", to.toFixed(1)));
    const cost = loss([w, b]);
    const shown = (number) => minus(number.toFixed(2));
    says.textContent = cost > 1e3
      ? `Step ${step}: the loss is ${cost.toPrecision(2)}, and it grows. The learning rate is too large.`
      : `Step ${step}: the line is ${shown(w)} x ${b < 0 ? "−" : "+"} ${Math.abs(b).toFixed(2)}. Its loss is ${cost.toFixed(3)}; `
        + `the smallest possible is ${loss(least).toFixed(3)}.`;
  };

  const go = (to) => {
    step = to;
    draw();
  };
  const run = player(root, { action: "Descend", every: 200, many: 10, steady: true, go });
  run.mark(0, STEPS);
  const heights = Array.from({ length: 61 }, (_, k) => data.y[0] + ((data.y[1] - data.y[0]) * k) / 60);
  const closest = (wanted) => heights.reduce((found, one) => (Math.abs(one - wanted) < Math.abs(found - wanted) ? one : found));
  const last = points.length - 1;
  const raise = slider("y of the last point", heights, closest(points[last][1]), (to) => {
    points[last][1] = to;
    draw();
  }, (one) => minus(one.toFixed(1)));
  const range = raise.querySelector("input");
  let held = 0;
  dragOver(left, (point, first) => {
    const to = near.value(point);
    const gap = ([x, y]) => Math.hypot(...near.place([x, y]).map((part, axis) => part - point[axis]));
    if (first) held = points.reduce((found, one, k) => (gap(one) < gap(points[found]) ? k : found), 0);
    points[held] = [0, 1].map((axis) => Math.min(Math.max(to[axis], [data.x, data.y][axis][0]), [data.x, data.y][axis][1]));
    if (held === last) {
      range.value = heights.indexOf(closest(points[last][1]));
      raise.querySelector("output").textContent = minus(points[last][1].toFixed(1));
    }
    draw();
  });
  dots[last].setAttribute("class", "course-last");
  const tools = element("div", "course-tools");
  tools.append(slider("learning rate", rates, rate, (to) => {
    rate = to;
    draw();
  }), raise, element("span", "course-hint", "Or drag a point."));
  root.prepend(run.bar, tools);
  root.append(legend({ "the line now": "var(--orange)", "the best line": "var(--blue)" }));
  draw();
});
