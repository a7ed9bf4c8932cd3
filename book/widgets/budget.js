// A budget of computation, 6 N D, shared between parameters and tokens: left the plane of both with the line of the
// budget, right the loss along that line. What is said of the best share is eq. 4 of Hoffmann et al. (2022).
widgets("budget", (root, { surfaces, runs, later, budgets, budget, size, levels, plane, curve }) => {
  const STEPS = 80;
  const [left, right] = root.querySelectorAll("svg");
  const says = root.querySelector("[role=status]");
  const [flat, tall] = [onAxes(plane), onAxes(curve)];
  const [low, high] = plane.x;
  const sizes = Array.from({ length: STEPS + 1 }, (_, k) => 10 ** (low + ((high - low) * k) / STEPS));
  let surface = Object.values(surfaces)[0];

  const loss = (n, d) => surface[0] + surface[1] * n ** -surface[2] + surface[3] * d ** -surface[4];
  const best = (c) => {
    const [, a, alpha, b, beta] = surface;
    const n = (((alpha * a) / (beta * b)) * (c / 6) ** beta) ** (1 / (alpha + beta));
    return [n, c / 6 / n];
  };
  const level = (height) => sizes.flatMap((n) => {
    const rest = height - surface[0] - surface[1] * n ** -surface[2];
    return rest > 0 ? [[n, (surface[3] / rest) ** (1 / surface[4])]] : [];
  });
  const apart = ([n, d]) => flat.place([Math.log10(n), Math.log10(d)]);
  const over = ([n, height]) => tall.place([Math.log10(n), height]);
  const inside = ([, y]) => y >= plane.box[2] && y <= plane.box[3];
  const trace = (path, points, at) => {
    const shown = points.map(at).filter(inside);
    path.setAttribute("d", shown.length ? lineOf(shown) : "");
    return shown;
  };
  const put = (mark, [x, y]) => {
    mark.setAttribute("cx", x.toFixed(1));
    mark.setAttribute("cy", y.toFixed(1));
    mark.style.visibility = inside([x, y]) ? "" : "hidden"; // it lies above or below the axes
  };
  const nearest = (list, wanted) => {
    const far = list.map((one) => Math.abs(Math.log(one / wanted)));
    return list[far.indexOf(Math.min(...far))];
  };
  const count = (number) => (number < 999500 ? `${(number / 1e3).toPrecision(3)} thousand` : `${(number / 1e6).toPrecision(3)} million`);
  const raised = (number) => String(number).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  const power = (number) => {
    const [times, tens] = number.toExponential(0).split("e+");
    return `${times === "1" ? "" : `${times} · `}10${raised(tens)}`;
  };

  const part = (svg, name) => svg.querySelector(`.course-${name}`);
  const rings = [...left.querySelectorAll(".course-ring")];
  const names = rings.map((_, k) => {
    const text = drawn(left, "text", { class: "course-level" });
    text.textContent = levels[k].toFixed(1);
    return text;
  });
  const [line, along, dot, height] = [part(left, "now"), part(right, "now"), part(left, "dot"), part(right, "dot")];
  const [ways, crosses] = [part(left, "best"), [left, right].map((svg) => drawn(svg, "path", { class: "course-cross" }))];
  const found = drawn(right, "g", {});
  left.append(dot);
  right.append(height);

  const draw = () => {
    const tokens = budget / 6 / size;
    const least = best(budget);
    rings.forEach((ring, k) => {
      const at = trace(ring, level(levels[k]), apart).at(-1);
      names[k].setAttribute("x", plane.box[1]);
      names[k].setAttribute("y", at ? (at[1] - 4).toFixed(1) : -9);
    });
    trace(ways, budgets.map(best), apart);
    trace(line, sizes.map((n) => [n, budget / 6 / n]), apart);
    trace(along, sizes.map((n) => [n, loss(n, budget / 6 / n)]), over);
    put(dot, apart([size, tokens]));
    put(height, over([size, loss(size, tokens)]));
    [apart(least), over([least[0], loss(...least)])].forEach((at, k) => {
      const [x, y] = at.map((one) => one.toFixed(1));
      crosses[k].setAttribute("d", inside(at) ? `M${x} ${y}m-6 0h12m-6-6v12` : "");
    });
    found.replaceChildren();
    for (const [all, name] of [[runs, "run"], [later, "later"]]) {
      for (const [n, d, value] of all) {
        if (nearest(budgets, 6 * n * d) === budget) put(drawn(found, "circle", { r: 3, class: `course-${name}` }), over([n, value]));
      }
    }
    const seen = [0, 1].every((k) => {
      const all = runs.map((run) => run[k]);
      return Math.min(...all) <= least[k] && least[k] <= Math.max(...all);
    });
    says.textContent = `${count(size)} parameters read ${count(tokens)} tokens: a loss of ${loss(size, tokens).toFixed(2)}, `
      + `${(loss(size, tokens) - loss(...least)).toFixed(2)} above the least of this budget, which takes `
      + `${count(least[0])} parameters and ${count(least[1])} tokens: ${seen ? "among" : "outside"} the runs.`;
  };

  const share = slider("budget C", budgets, budget, (to) => {
    budget = to;
    draw();
  }, power);
  const some = [...sizes, size].sort((one, other) => one - other).filter((one, k, all) => one !== all[k - 1]);
  const large = slider("parameters N", some, size, (to) => {
    size = to;
    draw();
  }, count);
  const set = (label, list, value) => {
    const range = label.querySelector("input");
    range.value = list.indexOf(nearest(list, value));
    range.dispatchEvent(new Event("input"));
  };
  dragOver(left, (point) => {
    const [n, d] = flat.value(point).map((one) => 10 ** one);
    set(share, budgets, 6 * n * d);
    set(large, some, n);
  });
  dragOver(right, (point) => set(large, some, 10 ** tall.value(point)[0]));
  const tools = element("div", "course-tools");
  tools.append(share, large, button("Best size", () => set(large, some, best(budget)[0])));
  const which = chooser("Surface:", Object.keys(surfaces), (name) => {
    surface = surfaces[name];
    draw();
  });
  which.mark(Object.keys(surfaces)[0]);
  root.prepend(which.group, tools);
  root.append(
    legend({ "this budget": "var(--orange)", "the best share of each budget": "var(--blue)" }),
    element("p", "course-hint", "Drag over the drawings, or move the sliders. Dots are runs; on the right, those with about this budget."),
  );
  draw();
});
