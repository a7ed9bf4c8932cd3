// A point on its way from noise to a mixture of Gaussians, with the denoiser in closed form: computed here for every start,
// table, number of steps and amount of fresh noise. Without fresh noise the same start always has the same end.
widgets("denoise", (root, { weights, means, variances, axes, start, counts, etas, steps: first }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place, value } = onAxes(axes);
  const [, far] = axes.x;
  let [begin, steps, eta, straight, seed] = [start, first, 0, false, 1];

  // the same normal numbers for the same seed, by a small generator and Box and Muller
  const normals = (from) => {
    let state = (from * 2654435761) >>> 0;
    const uniform = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
    return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  };
  const level = (t) => (straight ? [1 - t, t] : [Math.cos((Math.PI * t) / 2), Math.sin((Math.PI * t) / 2)]);

  // the mean of x_0 given x_t: each component's, weighted by how likely it is
  const clean = (x, [a, s]) => {
    const wide = variances.map((one) => a * a * one + s * s);
    const logs = means.map((m, k) => Math.log(weights[k]) - Math.log(wide[k]) - ((x[0] - a * m[0]) ** 2 + (x[1] - a * m[1]) ** 2) / (2 * wide[k]));
    const top = Math.max(...logs);
    const shares = logs.map((one) => Math.exp(one - top));
    const total = shares.reduce((sum, one) => sum + one, 0);
    return x.map((part, axis) => means.reduce((sum, m, k) => sum + (shares[k] / total) * (m[axis] + ((a * variances[k]) / wide[k]) * (part - a * m[axis])), 0));
  };
  const walk = () => {
    const normal = normals(seed);
    const path = [begin];
    for (let row = steps; row > 0; row -= 1) {
      const x = path.at(-1);
      const [[a, s], [b, r]] = [level(row / steps), level((row - 1) / steps)];
      const guess = clean(x, [a, s]);
      const fresh = (eta * r * Math.sqrt(Math.max(s * s - ((a / b) ** 2) * r * r, 0))) / s;
      const kept = Math.sqrt(Math.max(r * r - fresh * fresh, 0));
      path.push(x.map((part, axis) => b * guess[axis] + (kept * (part - a * guess[axis])) / s + fresh * normal()));
    }
    return path;
  };

  const way = svg.querySelector(".course-way");
  const dots = drawn(svg, "path", { class: "course-stops" });
  const end = svg.querySelector(".course-end");
  const others = drawn(svg, "g", { class: "course-others" });
  const ring = drawn(svg, "circle", { r: 11, class: "course-start", tabindex: 0, role: "slider" });
  const to = (mark, point) => {
    const [x, y] = place(point);
    mark.setAttribute("cx", x.toFixed(1));
    mark.setAttribute("cy", y.toFixed(1));
  };
  const pair = (point, digits) => `(${point.map((part) => part.toFixed(digits)).join(", ")})`;
  const draw = () => {
    const path = walk();
    const last = path.at(-1);
    way.setAttribute("d", lineOf(path.map(place)));
    dots.setAttribute("d", path.map((point) => `${lineOf([place(point)])}h0`).join(""));
    to(end, last);
    to(ring, begin);
    for (const [name, one] of [
      ["label", "Start of the path: arrow keys move it"], ["valuenow", begin[0].toFixed(1)],
      ["valuemin", -far], ["valuemax", far], ["valuetext", minus(pair(begin, 1)).replace(" -", " −")],
    ]) ring.setAttribute(`aria-${name}`, one);
    const distances = means.map((m) => Math.hypot(last[0] - m[0], last[1] - m[1]));
    const nearest = distances.indexOf(Math.min(...distances));
    let long = 0;
    for (let k = 1; k < path.length; k += 1) long += Math.hypot(path[k][0] - path[k - 1][0], path[k][1] - path[k - 1][1]);
    long /= Math.hypot(last[0] - begin[0], last[1] - begin[1]);
    says.textContent = (`From ${pair(begin, 1)} to ${pair(last, 2)}, in the cluster of ${Math.round(100 * weights[nearest])}%. `
      + `Calls of the denoiser: ${steps}. The path is ${long.toFixed(2)} times as long as a straight line.`).replaceAll("-", "−");
  };
  const move = (point) => {
    begin = point.map((part) => Math.min(Math.max(part, -far), far));
    others.replaceChildren();
    draw();
  };
  const change = (set) => (one) => {
    set(one);
    others.replaceChildren();
    draw();
  };

  dragOver(svg, (at) => move(value(at)));
  ring.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    move([begin[0] + 0.1 * by[1], begin[1] - 0.1 * by[0]]);
  });
  const table = chooser("table: ", ["circle", "straight line"], change((name) => { straight = name !== "circle"; }));
  const tools = element("div", "course-tools");
  tools.append(
    slider("steps", counts, first, change((count) => { steps = count; })),
    slider("fresh noise η", etas, 0, change((one) => { eta = one; })),
    button("40 samples", () => {
      others.replaceChildren();
      const own = seed;
      for (let k = 0; k < 40; k += 1) {
        seed += 1;
        const shown = drawn(others, "circle", { r: 3.5 });
        to(shown, walk().at(-1));
      }
      seed = own;
    }),
    button("Other noise", () => {
      seed += 41;
      draw();
    }),
  );
  root.prepend(table.group, tools);
  svg.after(element("p", "course-hint", "Drag the ring, or move it with the arrow keys. “40 samples” starts 40 times from the same place."));
  svg.setAttribute("role", "group"); // the ring in it can be moved
  table.mark("circle");
  draw();
});
