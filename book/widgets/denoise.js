// A point on its way from noise to a mixture of Gaussians, with the denoiser in closed form: computed here for every start,
// table, number of steps and amount of fresh noise. Without fresh noise the same start always has the same end. The player
// moves it and a crowd of other starts, each in the color of the cluster nearest to its end.
widgets("denoise", (root, { weights, means, variances, axes, start, counts, etas, steps: first }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place, value } = onAxes(axes);
  const [, far] = axes.x;
  const CROWD = 40;
  let [begin, steps, eta, straight, seed, together] = [start, first, 0, false, 1, false];
  let [at, path, crowd] = [first, [], []];

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
  const walk = (from, normal) => {
    const points = [from];
    for (let row = steps; row > 0; row -= 1) {
      const x = points.at(-1);
      const [[a, s], [b, r]] = [level(row / steps), level((row - 1) / steps)];
      const guess = clean(x, [a, s]);
      const fresh = (eta * r * Math.sqrt(Math.max(s * s - ((a / b) ** 2) * r * r, 0))) / s;
      const kept = Math.sqrt(Math.max(r * r - fresh * fresh, 0));
      points.push(x.map((part, axis) => b * guess[axis] + (kept * (part - a * guess[axis])) / s + fresh * normal()));
    }
    return points;
  };
  const nearest = (point) => {
    const distances = means.map((m) => Math.hypot(point[0] - m[0], point[1] - m[1]));
    return distances.indexOf(Math.min(...distances));
  };

  const way = svg.querySelector(".course-way");
  const dots = drawn(svg, "path", { class: "course-stops" });
  const end = svg.querySelector(".course-end");
  const others = drawn(svg, "g", { class: "course-others" });
  const dotsOfCrowd = Array.from({ length: CROWD }, () => drawn(others, "circle", { r: 4 }));
  const fills = [...svg.querySelectorAll(".course-clusters circle")].map((one) => one.getAttribute("fill"));
  const ring = drawn(svg, "circle", { r: 11, class: "course-start", tabindex: 0, role: "slider" });
  const to = (mark, point) => {
    const [x, y] = place(point);
    mark.setAttribute("cx", x.toFixed(1));
    mark.setAttribute("cy", y.toFixed(1));
  };
  const pair = (point, digits) => `(${point.map((part) => part.toFixed(digits)).join(", ")})`;
  const percent = (k) => `${Math.round(100 * weights[k])}%`;
  const told = () => {
    if (at < steps) {
      const [a, s] = level((steps - at) / steps);
      return `Step ${at} of ${steps}: signal ${a.toFixed(2)}, noise ${s.toFixed(2)}. The point from the ring is at ${pair(path[at], 2)}.`;
    }
    const last = path.at(-1);
    let long = 0;
    for (let k = 1; k < path.length; k += 1) long += Math.hypot(path[k][0] - path[k - 1][0], path[k][1] - path[k - 1][1]);
    long /= Math.hypot(last[0] - begin[0], last[1] - begin[1]);
    const found = weights.map((_, k) => crowd.filter((one) => nearest(one.at(-1)) === k).length);
    const ends = found.map((count, k) => `${count} (${percent(k)})`);
    return `From ${pair(begin, 1)} to ${pair(last, 2)}, nearest to the cluster of ${percent(nearest(last))}. `
      + `Calls of the denoiser: ${steps}. The path is ${long.toFixed(2)} times as long as a straight line. `
      + `${CROWD} starts ${together ? "from the ring" : "from noise"}, by the nearest cluster: ${ends.join(", ")}.`;
  };
  const draw = () => {
    const gone = path.slice(0, at + 1);
    way.setAttribute("d", lineOf(gone.map(place)));
    dots.setAttribute("d", gone.map((point) => `${lineOf([place(point)])}h0`).join(""));
    to(end, path[at]);
    to(ring, begin);
    crowd.forEach((points, k) => {
      to(dotsOfCrowd[k], points[at]);
      dotsOfCrowd[k].setAttribute("fill", fills[nearest(points.at(-1))]);
    });
    for (const [name, one] of [
      ["label", "Start of the path: arrow keys move it"], ["valuenow", begin[0].toFixed(1)],
      ["valuemin", -far], ["valuemax", far], ["valuetext", minus(pair(begin, 1)).replace(" -", " −")],
    ]) ring.setAttribute(`aria-${name}`, one);
    says.textContent = told().replaceAll("-", "−");
  };
  // What is changed shows its end.
  const again = () => {
    path = walk(begin, normals(seed));
    crowd = Array.from({ length: CROWD }, (_, k) => {
      const normal = normals(seed + 1 + k);
      const noise = [normal(), normal()];
      return walk(together ? begin : noise, normal);
    });
    at = steps;
    run.mark(steps, steps);
    draw();
  };
  const move = (point) => {
    begin = point.map((part) => Math.min(Math.max(part, -far), far));
    again();
  };
  const change = (set) => (one) => {
    set(one);
    again();
  };

  dragOver(svg, (at) => move(value(at)));
  ring.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    move([begin[0] + 0.1 * by[1], begin[1] - 0.1 * by[0]]);
  });
  const pace = () => Math.max(120, Math.min(700, 4000 / steps));
  const run = player(root, {
    every: pace,
    go: (step) => {
      at = step;
      root.style.setProperty("--pace", `${pace()}ms`);
      draw();
    },
  });
  const table = chooser("table: ", ["circle", "straight line"], change((name) => { straight = name !== "circle"; }));
  const origin = chooser(`${CROWD} starts: `, ["from noise", "from the ring"], change((name) => { together = name !== "from noise"; }));
  const tools = element("div", "course-tools");
  tools.append(
    slider("steps", counts, first, change((count) => { steps = count; })),
    slider("fresh noise η", etas, 0, change((one) => { eta = one; })),
    button("Other noise", change(() => { seed += CROWD + 1; })),
  );
  const choices = element("div", "course-tools");
  choices.append(origin.group, table.group);
  root.prepend(run.bar, choices, tools);
  svg.after(element("p", "course-hint", "Drag the ring, or move it with the arrow keys. Each dot has the color of the cluster nearest to its end."));
  svg.setAttribute("role", "group"); // the ring in it can be moved
  table.mark("circle");
  origin.mark("from noise");
  again();
});
