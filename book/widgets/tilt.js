// The optimum is the reference, reweighted by exp(r / β): computed here for every reward and every β. Beside it, what the
// best of n draws collects, and how far from the reference it is.
widgets("tilt", (root, { answers, reference, rewards, betas, at: begin, axes, frame, size: [wide, high], alt }) => {
  const NS = [1, 2, 4, 8, 16];
  const says = root.querySelector("[role=status]");
  const rows = [...root.querySelectorAll("tbody tr")];
  const { place } = onAxes(axes);
  let at = begin;

  const sum = (values) => values.reduce((total, one) => total + one, 0);
  const optimum = (beta) => {
    const top = Math.max(...rewards);
    const powers = rewards.map((reward, k) => reference[k] * Math.exp((reward - top) / beta));
    const total = sum(powers);
    return powers.map((power) => power / total);
  };
  const bestOf = (n) => rewards.map((reward, k) => {
    const share = (worse) => sum(reference.filter((_, other) => (worse ? rewards[other] < reward : rewards[other] === reward)));
    const [below, alike] = [share(true), share(false)];
    return (((below + alike) ** n - below ** n) * reference[k]) / alike;
  });
  const divergence = (policy) => sum(policy.map((p, k) => (p > 0 ? p * Math.log(p / reference[k]) : 0)));
  const collected = (policy) => sum(policy.map((p, k) => p * rewards[k]));
  const point = (policy) => [divergence(policy), collected(policy)];

  const chart = element("div", "course-tradeoff");
  chart.innerHTML = `<svg class="course-plane" viewBox="0 0 ${wide} ${high}" role="img" fill="currentColor">${frame}</svg>`;
  const svg = chart.firstChild;
  svg.setAttribute("aria-label", alt);
  const [left, right, top, bottom] = axes.box;
  const inside = drawn(svg, "svg", { x: left, y: top - 8, width: right - left + 8, height: bottom - top + 16, viewBox: `${left} ${top - 8} ${right - left + 8} ${bottom - top + 16}` });
  const curve = drawn(inside, "path", { class: "course-front" });
  const squares = NS.map((n) => {
    const square = drawn(inside, "rect", { width: 9, height: 9, x: -4.5, y: -4.5, class: "course-drawn" });
    const name = drawn(inside, "text", { "text-anchor": "middle", "font-size": 12, class: "course-drawn" });
    name.textContent = n;
    return [square, name];
  });
  const dot = drawn(inside, "circle", { r: 7 });
  chart.append(legend({ "the optimum for every β": "var(--blue)", [`the best of ${NS.slice(0, -1).join(", ")} and ${NS.at(-1)} draws`]: "var(--orange)" }));

  const to = (shape, [x, y], up = 0) => shape.setAttribute("transform", `translate(${x.toFixed(1)} ${(y + up).toFixed(1)})`);
  const draw = () => {
    const beta = betas[at];
    const best = optimum(beta);
    const [nats, reward] = point(best);
    rows.forEach((row, k) => {
      const [shown, , after, own] = row.querySelectorAll("td");
      shown.querySelector("output").textContent = rewards[k].toFixed(2);
      after.style.setProperty("--share", best[k].toFixed(4));
      after.textContent = best[k].toFixed(3);
      own.textContent = minus((beta * Math.log(best[k] / reference[k])).toFixed(2));
    });
    // finer than the steps of β, and from where the optimum is the reference to where it is hardly anything else
    const fine = Array.from({ length: 121 }, (_, k) => 2 ** (6 - k / 10));
    curve.setAttribute("d", lineOf([reference, ...fine.map(optimum)].map((policy) => place(point(policy)))));
    let named = -Infinity; // names that would lie on one another stay away
    NS.forEach((n, k) => {
      const where = place(point(bestOf(n)));
      to(squares[k][0], where);
      to(squares[k][1], where, 20);
      const near = where[0] - named < 18;
      squares[k][1].setAttribute("visibility", near ? "hidden" : "visible");
      if (!near) [named] = where;
    });
    to(dot, place([nats, reward]));
    const ahead = 1 / (1 + Math.exp(rewards[1] - rewards[0]));
    says.textContent = `β = ${Number(beta.toPrecision(2))}: the optimum collects a reward of ${reward.toFixed(2)}, ${nats.toFixed(2)} nats from the reference; `
      + `less the price, ${minus((reward - beta * nats).toFixed(2))}. ${answers[0]} is preferred to ${answers[1]} with a probability of ${ahead.toFixed(2)}.`;
  };

  rows.forEach((row, k) => {
    const control = slider("", [0, 0.25, 0.5, 0.75, 1], rewards[k], (value) => {
      rewards[k] = value;
      draw();
    }, (value) => value.toFixed(2));
    control.querySelector("input").ariaLabel = `reward of ${answers[k]}`;
    row.querySelector("td").replaceChildren(control);
  });
  const run = player(root, {
    action: "Lower β",
    name: "β",
    first: 1,
    every: 450,
    steady: true,
    go: (step) => {
      at = step;
      draw();
    },
  });
  run.mark(begin, betas.length - 1);
  root.prepend(run.bar);
  root.append(chart);
  draw();
});
