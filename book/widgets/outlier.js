// One weight is dragged away from the others, or moved by a slider; the levels follow the largest weight of each scale.
widgets("outlier", (root, { weights, moved, unit, group, kinds, bits, begin, names, farthest, shape, axes }) => {
  const [left, right, top, band, gap, head, line] = shape;
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place, value } = onAxes(axes);
  const across = (weight) => place([weight, 0])[0];
  const strips = [...svg.querySelectorAll("g")];
  const columns = weights[0].length;
  let [kind, width, times] = [kinds[0], ...begin];

  const even = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)); // halves, as torch has it
  const ratio = (pairs) => {
    const sum = (of) => pairs.reduce((total, pair) => total + of(pair) ** 2, 0);
    return 10 * Math.log10(sum(([w]) => w) / sum(([w, near]) => w - near));
  };
  const draw = () => {
    weights[0][moved] = times * unit;
    const most = 2 ** (width - 1) - 1;
    const groups = names.map((_, k) => {
      const [row, at] = [Math.floor((k * group) / columns), (k * group) % columns];
      return weights[row].slice(at, at + group);
    });
    const rows = columns / group;
    const shared = (k) => (kind === kinds[0] ? groups.flat() : kind === kinds[1] ? groups.slice(k - (k % rows), k - (k % rows) + rows).flat() : groups[k]);
    const every = [];
    groups.forEach((values, k) => {
      const scale = Math.max(...shared(k).map(Math.abs)) / most || 1;
      const y = top + k * (band + gap);
      const near = values.map((w) => scale * within(even(w / scale) + most, 2 * most + 1) - scale * most);
      const [levels, errors, ...rest] = strips[k].children;
      const codes = Array.from({ length: 2 * most + 1 }, (_, code) => scale * (code - most));
      const inside = codes.filter((level) => level >= axes.x[0] && level <= axes.x[1]);
      levels.setAttribute("d", inside.map((level) => `M${across(level).toFixed(1)} ${y + head}V${y + band}`).join(""));
      errors.setAttribute("d", values.map((w, row) => `M${across(w).toFixed(1)} ${(y + head + line * (row + 0.9)).toFixed(1)}H${across(near[row]).toFixed(1)}`).join(""));
      rest.slice(0, group).forEach((dot, row) => dot.setAttribute("cx", across(values[row]).toFixed(1)));
      const pairs = values.map((w, row) => [w, near[row]]).filter((_, row) => k || row !== moved);
      rest.at(-1).textContent = `${names[k]}: ${ratio(pairs).toFixed(1)} dB`;
      every.push(...pairs);
    });
    const scales = [1, weights.length, names.length][kinds.indexOf(kind)];
    const zeros = every.filter(([, near]) => Math.abs(near) < 1e-9).length;
    const stored = Number((width + (16 * scales) / (columns * weights.length)).toFixed(6));
    says.textContent = `${width} bits, one scale ${kind}. The outlier is ${times.toFixed(1)} times the largest other weight. `
      + `The other ${every.length} weights have a signal-to-noise ratio of ${ratio(every).toFixed(1)} dB; ${zeros} of them become 0. Stored: ${stored} bits per weight.`;
  };

  const sizes = Array.from({ length: 10 * farthest + 1 }, (_, k) => k / 10);
  const size = slider("outlier", sizes, times, (to) => {
    times = to;
    draw();
  }, (one) => `${one.toFixed(1)} ×`);
  const count = slider("bits", bits, width, (to) => {
    width = to;
    draw();
  });
  dragOver(svg, (point) => {
    const input = size.querySelector("input");
    input.value = within(Math.round((10 * value(point)[0]) / unit), sizes.length);
    input.dispatchEvent(new Event("input"));
  });
  const which = chooser("Scale:", kinds, (one) => {
    kind = one;
    draw();
  });
  which.mark(kind);
  const tools = element("div", "course-tools");
  tools.append(size, count, which.group);
  root.prepend(tools);
  root.append(
    legend({ level: "currentcolor", "rounding error": "var(--orange)" }),
    element("p", "course-hint", "Or drag the large dot. One weight in each line; the levels of a scale stand below each other."),
  );
  draw();
});
