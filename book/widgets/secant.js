// A point on a polynomial, to be dragged or moved by its slider; h is halved step by step, and the lines through two
// points of the curve turn into the tangent.
widgets("secant", (root, { coefficients, at, axes, central }) => {
  const HALVINGS = 8;
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place, value } = onAxes(axes);
  const [[low, high], [left, right, top, bottom]] = [axes.x, axes.box];
  const f = (x) => coefficients.reduceRight((sum, c) => sum * x + c, 0);
  const slope = (x) => coefficients.reduceRight((sum, c, k) => (k ? sum * x + k * c : sum), 0);
  let [x, halvings] = [at, 0];

  // what leaves the axes is cut off
  const size = { x: left, y: top, width: right - left, height: bottom - top };
  const inside = drawn(svg, "svg", { ...size, viewBox: `${left} ${top} ${size.width} ${size.height}` });
  const tangent = svg.querySelector(".course-tangent");
  const lines = (central ? ["central", "chord"] : ["chord"]).map((name) => drawn(inside, "path", { class: `course-${name}` }));
  inside.prepend(tangent);
  const others = [1, -1].slice(0, lines.length).map(() => drawn(inside, "circle", { r: 5 }));
  const dot = drawn(svg, "circle", { r: 7, class: "course-dot" });

  const through = (x0, y0, steep) => lineOf([low, high].map((one) => place([one, y0 + steep * (one - x0)])));
  const quotients = (h) => [(f(x + h) - f(x)) / h, (f(x + h) - f(x - h)) / (2 * h)];
  const number = (one, digits = 3) => minus(one.toFixed(digits));
  const ratio = (before, after) => (after > 1e-9 ? `by a factor of ${(before / after).toFixed(2)}` : "to 0");
  const draw = () => {
    const [h, exact] = [2 ** -halvings, slope(x)];
    const [one, both] = quotients(h);
    tangent.setAttribute("d", through(x, f(x), exact));
    lines.at(-1).setAttribute("d", through(x, f(x), one));
    if (central) lines[0].setAttribute("d", through(x - h, f(x - h), both));
    const put = (circle, point) => {
      const [cx, cy] = place(point);
      for (const [key, to] of [["cx", cx], ["cy", cy]]) circle.setAttribute(key, to.toFixed(1));
    };
    others.forEach((circle, k) => put(circle, [x + (k ? -h : h), f(x + (k ? -h : h))]));
    put(dot, [x, f(x)]);
    const off = (quotient) => Math.abs(quotient - exact);
    const told = central
      ? ` the one-sided quotient is ${number(one)}, off by ${off(one).toFixed(4)}; the central one is ${number(both)}, off by ${off(both).toFixed(4)}.`
      : ` the difference quotient is ${number(one)}.`;
    const [one2, both2] = quotients(2 * h);
    const shrinks = central && halvings
      ? ` The last halving reduced the errors ${ratio(off(one2), off(one))} and ${ratio(off(both2), off(both))}.` : "";
    says.textContent = `At x = ${number(x, 2)} the derivative is ${number(exact)}. With h = ${halvings ? `1/${2 ** halvings}` : 1}${told}${shrinks}`;
  };

  const values = Array.from({ length: Math.round((high - low) * 20) + 1 }, (_, k) => low + k / 20);
  const near = (wanted) => within(Math.round((wanted - low) * 20), values.length);
  const control = slider("x", values, values[near(at)], (to) => {
    x = to;
    draw();
  }, (one) => number(one, 2));
  const range = control.querySelector("input");
  dragOver(svg, (point) => {
    range.value = near(value(point)[0]);
    range.dispatchEvent(new Event("input"));
  });
  const run = player(root, {
    action: "Halve h",
    name: "halving",
    every: 1000,
    steady: true,
    go: (to) => {
      halvings = to;
      draw();
    },
  });
  run.mark(0, HALVINGS);
  const tools = element("div", "course-tools");
  tools.append(control, element("span", "course-hint", "Or drag the point."));
  root.prepend(run.bar, tools);
  root.append(legend({
    tangent: "var(--blue)",
    [central ? "one-sided quotient" : "difference quotient"]: "var(--orange)",
    ...(central && { "central quotient": "var(--course-2, #18a06a)" }),
  }));
  draw();
});
