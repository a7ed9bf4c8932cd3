// Skip-gram with negative sampling on a handful of words in the plane. The page drew the pairs, the noise and the
// start; each step is computed here, and the state after the last one is what stands without this.
widgets("pull", (root, { words, contexts, draws, center, context, rate: first }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const cells = [...root.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]);
  const forces = drawn(svg, "g", {});
  const vectors = root.querySelector(".course-vectors");
  let [v, u, now, last, rate] = [[], [], 0, null, first];

  const dot = ([a, b], [c, d]) => a * c + b * d;
  const sigma = (x) => 1 / (1 + Math.exp(-x));
  const cosine = (a, b) => dot(a, b) / Math.hypot(...a) / Math.hypot(...b);
  let zoom = 100; // so that the longest vector fits
  const place = ([x, y]) => `${(zoom * x).toFixed(1)} ${(-zoom * y).toFixed(1)}`;
  const copy = (rows) => rows.map((row) => [...row]);
  const restart = () => { [v, u, now, last] = [copy(center), copy(context), 0, null]; };

  // All gradients of a step are taken before it: a noise word may come twice, or be the context.
  const step = (rate) => {
    const [w, ...others] = draws[now];
    const parts = others.map((c, k) => ({ c, error: sigma(dot(u[c], v[w])) - (k === 0), from: [...u[c]] }));
    const before = [...v[w]];
    for (const { c, error, from } of parts) {
      for (const axis of [0, 1]) {
        v[w][axis] -= rate * error * from[axis];
        u[c][axis] -= rate * error * before[axis];
      }
    }
    last = { w, before, parts };
    now += 1;
    return true;
  };

  const arrow = (parent, from, to, name) => drawn(parent, "path", { d: `M${place(from)}L${place(to)}`, class: name });
  // A name beside each tip; names that would lie on one another move down.
  const label = (tips) => {
    const done = [];
    for (const { at: [x, y], text, name } of tips.sort((a, b) => b.at[1] - a.at[1])) {
      const to = [zoom * x + (x < 0 ? -9 : 9), 5 - zoom * y];
      while (done.some(([a, b]) => Math.abs(a - to[0]) < 72 && Math.abs(b - to[1]) < 17)) to[1] += 4;
      done.push(to);
      drawn(vectors, "text", { x: to[0], y: to[1], class: name, "text-anchor": x < 0 ? "end" : "start" }).textContent = text;
    }
  };
  const show = () => {
    vectors.replaceChildren();
    forces.replaceChildren();
    const tips = [];
    zoom = 170 / Math.max(0.9, ...[...v, ...u].flat().map(Math.abs));
    for (const [rows, names, name] of [[u, contexts, "course-context"], [v, words, "course-center"]]) {
      rows.forEach((at, k) => {
        arrow(vectors, [0, 0], at, name);
        drawn(vectors, "circle", { cx: zoom * at[0], cy: -zoom * at[1], r: 4, class: name });
        tips.push({ at, text: names[k], name });
      });
    }
    label(tips);
    if (last) {
      for (const [k, { error, from }] of last.parts.entries()) {
        const to = last.before.map((part, axis) => part - 1.5 * error * from[axis]);
        arrow(forces, last.before, to, k ? "course-push" : "course-draw-in");
      }
    }
    cells.forEach((row, w) => row.forEach((cell, c) => {
      const share = sigma(dot(v[w], u[c]));
      cell.style.setProperty("--share", share.toFixed(3));
      cell.textContent = share.toFixed(2);
      cell.toggleAttribute("data-now", last?.w === w && last.parts.some((part) => part.c === c));
    }));
    const quoted = (place) => `“${contexts[place]}”`;
    const drew = last ? ` The last pair: “${words[last.w]}” and ${quoted(last.parts[0].c)}; noise: ${last.parts.slice(1).map(({ c }) => quoted(c)).join(", ")}.` : "";
    const pairs = [1, words.length / 2].map((k) => `${words[0]} and ${words[k]} ${minus(cosine(v[0], v[k]).toFixed(2))}`);
    says.textContent = `Step ${now}.${drew} Cosine similarity: ${pairs.join(", ")}.`;
  };

  const run = stepwise(root, {
    action: "Train", many: 50, every: 110, last: draws.length, step, show, restart, setting: () => rate,
    save: () => ({ v: copy(v), u: copy(u), last }),
    load: (kept, count) => { [v, u, last, now] = [copy(kept.v), copy(kept.u), kept.last, count]; },
  });
  const more = element("div", "course-tools");
  more.append(slider("learning rate", [0.05, 0.1, 0.2, 0.5, 1], rate, (value) => { rate = value; }));
  root.prepend(run.bar, more, says);
  run.again();
  run.seek(draws.length);
});
