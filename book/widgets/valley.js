// The path is computed here, again for every place of the two sliders.
widgets("valley", (root) => {
  const [rate, momentum] = root.querySelectorAll("input");
  const outputs = root.querySelectorAll("output");
  const [rings, dots] = root.querySelectorAll("g");
  const line = root.querySelector("path");
  const says = root.querySelector("[role=status]");
  for (const level of [1, 4, 10, 20, 40, 70, 100]) {
    drawn(rings, "ellipse", { rx: Math.sqrt(2 * level), ry: Math.sqrt((2 * level) / 25) * 1.6 });
  }
  const draw = () => {
    const [eta, mu] = [Number(rate.value), Number(momentum.value)];
    outputs[0].textContent = eta.toFixed(3);
    outputs[1].textContent = mu.toFixed(2);
    let [x, y, vx, vy] = [-9, 2, 0, 0];
    const path = [[x, y]];
    let [steps, arrived] = [0, null];
    while (steps < 300 && Math.hypot(x, y) < 1e4) {
      vx = mu * vx + x;
      vy = mu * vy + 25 * y;
      x -= eta * vx;
      y -= eta * vy;
      steps += 1;
      if (steps <= 60) path.push([x, y]);
      if (Math.hypot(x, y, vx / 25, vy / 25) < 0.05) {
        arrived ??= steps;
      } else {
        arrived = null;
      }
    }
    const near = path.map(([a, b]) => [Math.max(-40, Math.min(40, a)), Math.max(-25, Math.min(25, b)) * -1.6]);
    line.setAttribute("d", "M" + near.map((p) => p.map((c) => c.toFixed(3)).join(" ")).join("L"));
    dots.replaceChildren();
    near.forEach(([cx, cy]) => drawn(dots, "circle", { cx, cy, r: 0.11 }));
    says.textContent = Math.hypot(x, y) >= 1e4 ? "It flies off."
      : arrived === null ? "Not there after 300 steps."
      : `It comes to rest at the minimum after ${arrived} steps.`;
  };
  rate.addEventListener("input", draw);
  momentum.addEventListener("input", draw);
  draw();
});
