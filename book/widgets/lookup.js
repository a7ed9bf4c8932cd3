// A query and vectors in a plane, all to be dragged, or moved by sliders. The thicker the line of a vector, the larger
// its weight; the query turns all around, and the weighted mean leaves a trace.
widgets("lookup", (root, { names: [asked, keys, made], vectors, query, scores, temperature, axes, reach }) => {
  const [STEP, TURNS] = [10, 36]; // degrees
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const bars = [...root.querySelectorAll(".course-bar")];
  const { place, value } = onAxes(axes);
  const all = [query, ...vectors]; // the query first
  let [moved, score, heat, begin, turns] = [0, scores[0], 1, 0, 0];

  const polar = ([x, y]) => [(Math.atan2(y, x) * 180) / Math.PI, Math.hypot(x, y)];
  const planar = (angle, long) => [long * Math.cos((angle * Math.PI) / 180), long * Math.sin((angle * Math.PI) / 180)];
  const dot = (one, other) => one[0] * other[0] + one[1] * other[1];
  const long = (one) => Math.hypot(...one);
  const rate = {
    dot,
    cosine: (q, k) => dot(q, k) / long(q) / long(k),
    distance: (q, k) => -(long([q[0] - k[0], q[1] - k[1]]) ** 2) / 2,
  };
  const look = (q) => {
    const found = all.slice(1).map((key) => rate[score](q, key) / heat);
    const powers = found.map((one) => Math.exp(one - Math.max(...found)));
    const sum = powers.reduce((total, one) => total + one);
    const weights = powers.map((one) => one / sum);
    return { weights, mean: [0, 1].map((axis) => weights.reduce((total, one, k) => total + one * all[k + 1][axis], 0)) };
  };

  const group = svg.querySelector(".course-drawn");
  const [trace, parts] = [drawn(group, "path", { class: "course-trace" }), [...group.querySelectorAll("g")]];
  group.prepend(trace);
  let written = []; // the places of names
  const put = (part, end, weight) => {
    const [[x, y], out] = [place(end), 16 / Math.max(long(end), 0.05)];
    const [line, circle, text] = part.children;
    line.setAttribute("d", `M${place([0, 0]).join(" ")}L${x.toFixed(1)} ${y.toFixed(1)}`);
    line.setAttribute("stroke-width", (1 + 7 * weight).toFixed(1));
    for (const [key, to] of [["cx", x], ["cy", y]]) circle.setAttribute(key, to.toFixed(1));
    // outward from the dot, or where no other name is
    const [right, up] = end.map((part) => out * part);
    const half = 5 * text.textContent.length;
    const free = (at) => written.every((one) => Math.abs(one.at[0] - at[0]) > one.half + half || Math.abs(one.at[1] - at[1]) > 17);
    const places = [[right, up], [up, -right], [-up, right], [-right, -up]].map((by) => [x + by[0], y - by[1] + 5]);
    const at = places.find(free) ?? places[0];
    written.push({ at, half });
    ["x", "y"].forEach((key, k) => text.setAttribute(key, at[k].toFixed(1)));
  };
  const draw = () => {
    const { weights, mean } = look(all[0]);
    written = [];
    weights.forEach((weight, k) => {
      put(parts[k], all[k + 1], weight);
      const [, track, number] = bars[k].children;
      track.firstChild.style.setProperty("--share", weight.toFixed(4));
      number.textContent = weight.toFixed(2);
    });
    put(parts.at(-2), all[0], 0.2);
    put(parts.at(-1), mean, 0.2);
    const size = long(all[0]);
    const path = Array.from({ length: turns + 1 }, (_, k) => place(look(planar(begin + STEP * k, size)).mean));
    trace.setAttribute("d", turns ? lineOf(path) : "");
    const most = (found) => found.indexOf(Math.max(...found));
    const [best, closest] = [most(weights), most(all.slice(1).map((key) => dot(key, all[0]) / long(key)))];
    says.textContent = `${keys[best]} has the largest weight, ${weights[best].toFixed(2)}. `
      + `${made} is (${mean.map((part) => minus(part.toFixed(2))).join(", ")}).`
      + (closest === best ? "" : ` In direction ${keys[closest]} is closer to ${asked}.`);
  };

  // ---- two sliders for the vector that is moved; what is dragged moves them
  const angles = Array.from({ length: 72 }, (_, k) => 5 * k - 175);
  const lengths = Array.from({ length: Math.round(reach * 10) }, (_, k) => (k + 1) / 10);
  const near = (list, wanted) => list.indexOf(list.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best)));
  const move = () => {
    const [turn, size] = ranges.map((range, k) => [angles, lengths][k][range.value]);
    all[moved] = planar(turn, size);
    restart();
  };
  const restart = () => {
    [begin, turns] = [polar(all[0])[0], 0];
    run.mark(0, TURNS);
    draw();
  };
  const controls = [
    slider("angle", angles, angles[near(angles, polar(query)[0])], move, (one) => `${minus(one)}°`),
    slider("length", lengths, lengths[near(lengths, polar(query)[1])], move, (one) => one.toFixed(1)),
  ];
  const ranges = controls.map((control) => control.querySelector("input"));
  const set = (vector) => polar(vector).forEach((part, k) => { ranges[k].value = near([angles, lengths][k], part === -180 ? 180 : part); });
  const told = () => controls.forEach((control, k) => {
    control.querySelector("output").textContent = k ? lengths[ranges[k].value].toFixed(1) : `${minus(angles[ranges[k].value])}°`;
  });
  const which = chooser("Move:", [...all.keys()], (one) => {
    moved = one;
    set(all[moved]);
    told();
  }, (one) => (one ? keys[one - 1] : asked));
  dragOver(svg, (point, first) => {
    const to = value(point);
    const far = all.map((one) => long([one[0] - to[0], one[1] - to[1]]));
    const grip = far.indexOf(Math.min(...far));
    if (first && far[grip] < 0.35) which.press(grip);
    set(to);
    ranges.forEach((range) => range.dispatchEvent(new Event("input")));
  });
  const run = player(root, {
    action: `Turn ${asked}`,
    every: 120,
    go: (to) => {
      turns = to;
      all[0] = planar(begin + STEP * to, long(all[0]));
      if (moved === 0) {
        set(all[0]);
        told();
      }
      draw();
    },
  });
  const tools = element("div", "course-tools");
  tools.append(...controls);
  const more = element("div", "course-tools");
  if (temperature) {
    more.append(slider("temperature τ", [0.1, 0.2, 0.5, 1, 2, 5, 10], 1, (one) => {
      heat = one;
      draw();
    }));
  }
  const choices = scores.length > 1 ? chooser("Score:", scores, (one) => {
    score = one;
    draw();
  }) : null;
  choices?.mark(score);
  which.mark(0);
  root.prepend(run.bar, ...(choices ? [choices.group] : []), which.group, tools, ...(temperature ? [more] : []));
  root.append(element("p", "course-hint", "Or drag the vectors."));
  restart();
});
