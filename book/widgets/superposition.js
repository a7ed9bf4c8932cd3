// Features are switched on and off; the model returns ReLU(WᵀW x + b), of which the table has every term.
widgets("superposition", (root, { models, importance, chance, active, axes }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const { place } = onAxes(axes);
  const arrows = [...svg.querySelectorAll(".course-feature")];
  const hidden = svg.querySelector(".course-hidden");
  const rows = [...root.querySelectorAll("tbody tr")];
  const sum = (values) => values.reduce((total, one) => total + one, 0);
  const number = (value) => minus(value.toFixed(2).replace("-0.00", "0.00"));
  const tint = (cell, value) => cell.style.setProperty("--w", Math.min(Math.abs(value), 1).toFixed(2));
  let model = models.find(([p]) => p === chance);

  const choose = (of, count) => Array.from({ length: count }).reduce((made, _, k) => (made * (of - k)) / (k + 1), 1);
  const draw = () => {
    const [p, across, up, bias] = model;
    const point = [across, up].map((part) => sum(part.map((one, k) => one * active[k])));
    const returned = bias.map((b, i) => Math.max(sum(active.map((x, j) => x * (across[i] * across[j] + up[i] * up[j]))) + b, 0));
    arrows.forEach((arrow, k) => {
      const end = [across[k], up[k]];
      const [[x, y], far] = [place(end), Math.hypot(...end)];
      const [line, dot, name] = arrow.children;
      arrow.toggleAttribute("data-on", active[k] === 1);
      arrow.setAttribute("visibility", far < 0.05 ? "hidden" : "visible");
      line.setAttribute("d", lineOf([place([0, 0]), [x, y]]));
      for (const [key, to] of [["cx", x], ["cy", y]]) dot.setAttribute(key, to.toFixed(1));
      for (const [key, to] of [["x", x + (17 * end[0]) / far], ["y", y - (17 * end[1]) / far + 5]]) name.setAttribute(key, (far ? to : 0).toFixed(1));
    });
    ["cx", "cy"].forEach((key, k) => hidden.setAttribute(key, place(point)[k].toFixed(1)));
    rows.forEach((row, i) => {
      const cells = [...row.querySelectorAll("td")];
      active.forEach((x, j) => {
        const term = across[i] * across[j] + up[i] * up[j];
        cells[j].textContent = number(term);
        cells[j].toggleAttribute("data-less", term * x < 0);
        tint(cells[j], term * x);
      });
      cells.at(-2).textContent = number(bias[i]);
      cells.at(-1).textContent = number(returned[i]);
      tint(cells.at(-1), returned[i] - active[i]);
    });
    buttons.forEach((one, k) => {
      one.textContent = `x${"₁₂₃₄₅₆₇₈₉"[k]} = ${active[k]}`;
      one.setAttribute("aria-pressed", active[k] === 1);
    });
    const [count, most] = [sum(active), returned.indexOf(Math.max(...returned))];
    const inputs = choose(active.length, count) * p ** count * (1 - p) ** (active.length - count);
    const loss = sum(returned.map((one, k) => importance[k] * (one - active[k]) ** 2));
    says.textContent = `p = ${p}: ${(100 * inputs).toFixed(1)}% of all inputs have ${count} of ${active.length} features active, as here. `
      + `Returned most: feature ${most + 1}, with ${returned[most].toFixed(2)}${active[most] ? "." : ", which is not active."} The loss is ${loss.toFixed(2)}.`;
  };

  const heads = [...root.querySelectorAll("thead th")].slice(0, active.length);
  const buttons = active.map((_, k) => button("", () => {
    active[k] = 1 - active[k];
    draw();
  }));
  buttons.forEach((one, k) => {
    heads[k].replaceChildren(one);
  });
  const tools = element("div", "course-tools");
  tools.append(slider("trained with p", models.map(([p]) => p), chance, (p) => {
    model = models.find((one) => one[0] === p);
    draw();
  }));
  root.prepend(tools);
  root.append(element("p", "course-hint", "Switch features on and off above the columns. Colored: the terms that are added in each row, and the error of x′. The orange dot is h = W x."));
  draw();
});
