// A point whose coordinates are what two answers have gained: the loss sees the difference alone, so it is the same along
// each dashed line, and its gradient points across them. The paths of two trainings can be followed step by step.
widgets("margin", (root, { runs, every, axes }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place, value } = onAxes(axes);
  const [left, right, top, bottom] = axes.box;
  let [run, now] = [0, [0, 0]];

  const back = drawn(svg, "g", {});
  svg.querySelector(".course-runs").before(back);
  const inside = drawn(back, "svg", { x: left, y: top, width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}` });
  const lines = drawn(inside, "g", { class: "course-levels" });
  const [[x0, x1], [y0, y1]] = [axes.x, axes.y];
  for (let margin = Math.ceil(x0 - y1); margin <= x1 - y0; margin += 1) {
    drawn(lines, "path", { d: lineOf([[x0, x0 - margin], [x1, x1 - margin]].map(place)), "data-zero": margin === 0 });
  }
  const paths = [...svg.querySelectorAll(".course-runs path")];
  const level = drawn(inside, "path", { class: "course-level" });
  const pull = drawn(svg, "path", { class: "course-gradient" });
  const dot = drawn(svg, "circle", { r: 7 });

  const signed = (one) => (one < 0 ? minus(one.toFixed(1)) : `+${one.toFixed(1)}`);
  const draw = () => {
    const [chosen, rejected] = now;
    const { beta } = runs[run];
    const margin = chosen - rejected;
    const loss = Math.log1p(Math.exp(-Math.abs(beta * margin))) + Math.max(0, -beta * margin);
    const weight = 1 / (1 + Math.exp(beta * margin));
    level.setAttribute("d", lineOf([[x0, x0 - margin], [x1, x1 - margin]].map(place)));
    const from = place(now);
    // the gradient is β times the weight, toward chosen and away from rejected
    pull.setAttribute("d", lineOf([from, place([chosen + weight, rejected - weight])]));
    dot.setAttribute("cx", from[0].toFixed(1));
    dot.setAttribute("cy", from[1].toFixed(1));
    paths.forEach((path, k) => path.toggleAttribute("data-on", k === run));
    says.textContent = `Chosen ${signed(chosen)}, rejected ${signed(rejected)}: the margin is ${minus(margin.toFixed(1))} nats, and with β = ${beta} the loss ${loss.toFixed(3)}. `
      + `The weight of the gradient is ${weight.toFixed(2)}.`;
  };
  const steps = ([low, high]) => Array.from({ length: 10 * (high - low) + 1 }, (_, k) => Number((low + k / 10).toFixed(1)));
  const controls = ["chosen", "rejected"].map((name, axis) => slider(name, steps([axes.x, axes.y][axis]), 0, (to) => {
    now[axis] = to;
    draw();
  }, signed));
  const set = (point) => {
    const ends = [axes.x, axes.y];
    now = point.map((part, axis) => Math.min(Math.max(part, ends[axis][0]), ends[axis][1]));
    controls.forEach((control, axis) => {
      const [input, output] = [control.querySelector("input"), control.querySelector("output")];
      input.value = Math.round(10 * (now[axis] - ends[axis][0]));
      output.textContent = signed(now[axis]);
      input.ariaValueText = output.textContent;
    });
    draw();
  };
  dragOver(svg, (at) => set(value(at)));
  const film = player(root, {
    action: "Train",
    name: `${every} steps`,
    every: 800,
    go: (at) => set(runs[run].path[at]),
  });
  film.mark(0, runs[0].path.length - 1);
  const choice = chooser("follow: ", runs.map((_, k) => k), (which) => {
    run = which;
    film.seek(0);
  }, (which) => runs[which].name);
  const tools = element("div", "course-tools");
  tools.append(...controls);
  root.prepend(choice.group, film.bar, tools);
  svg.after(element("p", "course-hint", "Or drag the point."));
  choice.press(0);
});
