// The path is computed here, again for every place of the two sliders and of the start.
widgets("valley", (root) => {
  const [LEFT, RIGHT, HEIGHT, TALL] = [-10.6, 4.6, 2.75, 1.6];
  const svg = root.querySelector("svg");
  const [rate, momentum] = root.querySelectorAll("input");
  const outputs = root.querySelectorAll("output");
  const [, dots] = root.querySelectorAll("g");
  const line = root.querySelector("path");
  const says = root.querySelector("[role=status]");
  const leaves = drawn(svg, "path", { d: "M-.2-.2L.2 .2M-.2 .2L.2-.2", class: "course-leaves" });
  const start = drawn(svg, "circle", { r: 0.32, class: "course-start", tabindex: 0, role: "slider" });
  const grip = drawn(svg, "circle", { r: 1, class: "course-grip" }); // as large as a finger
  const inside = ([x, y]) => x >= LEFT && x <= RIGHT && Math.abs(y) <= HEIGHT;
  const point = ([x, y]) => `${x.toFixed(3)} ${(-TALL * y).toFixed(3)}`;
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  let begin = [-9, 2];

  // where the way from a point of the picture to one outside of it meets the frame
  const border = ([x0, y0], [x1, y1]) => {
    const shares = [];
    if (x1 !== x0) shares.push((LEFT - x0) / (x1 - x0), (RIGHT - x0) / (x1 - x0));
    if (y1 !== y0) shares.push((HEIGHT - y0) / (y1 - y0), (-HEIGHT - y0) / (y1 - y0));
    const share = Math.min(...shares.filter((one) => one > 0));
    return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
  };

  const draw = () => {
    const [eta, mu] = [Number(rate.value), Number(momentum.value)];
    outputs[0].textContent = eta.toFixed(3);
    outputs[1].textContent = mu.toFixed(2);
    let [[x, y], vx, vy] = [begin, 0, 0];
    const path = [begin];
    let [steps, arrived, left] = [0, null, 0];
    while (steps < 300 && Math.hypot(x, y) < 1e4) {
      vx = mu * vx + x;
      vy = mu * vy + 25 * y;
      x -= eta * vx;
      y -= eta * vy;
      steps += 1;
      if (!left && steps <= 60) {
        if (!inside([x, y])) left = steps;
        path.push(left ? border(path.at(-1), [x, y]) : [x, y]);
      }
      if (Math.hypot(x, y, vx / 25, vy / 25) < 0.05) {
        arrived ??= steps;
      } else {
        arrived = null;
      }
    }
    line.setAttribute("d", `M${path.map(point).join("L")}`);
    dots.replaceChildren();
    path.forEach((one, k) => {
      if (k < path.length - (left > 0)) drawn(dots, "circle", { cx: one[0], cy: -TALL * one[1], r: 0.11 });
    });
    leaves.setAttribute("visibility", left ? "visible" : "hidden");
    leaves.setAttribute("transform", `translate(${point(path.at(-1))})`);
    for (const one of [start, grip]) one.setAttribute("transform", `translate(${point(begin)})`);
    const place = `(${minus(begin[0].toFixed(1))}, ${minus(begin[1].toFixed(1))})`;
    for (const [name, value] of [
      ["label", "Start of the path: arrow keys move it"], ["valuenow", begin[0].toFixed(1)],
      ["valuemin", LEFT], ["valuemax", RIGHT], ["valuetext", place],
    ]) start.setAttribute(`aria-${name}`, value);
    const out = left ? `It leaves the picture in step ${left}` : "";
    says.textContent = Math.hypot(x, y) >= 1e4 ? `It flies off${left ? `: ${out.toLowerCase()}` : ""}.`
      : arrived === null ? `${out ? `${out}, and is` : "It is"} not at the minimum after 300 steps.`
      : `${out ? `${out}, and comes` : "It comes"} to rest at the minimum after ${arrived} steps.`;
  };
  const move = ([x, y]) => {
    begin = [clamp(x, LEFT + 0.4, RIGHT - 0.4), clamp(y, 0.3 - HEIGHT, HEIGHT - 0.3)];
    draw();
  };

  let dragged = false;
  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, -at.y / TALL];
  };
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    dragged = true;
    grip.setPointerCapture(event.pointerId);
    start.focus();
  });
  grip.addEventListener("pointermove", (event) => { if (dragged) move(place(event)); });
  for (const end of ["pointerup", "pointercancel"]) grip.addEventListener(end, () => { dragged = false; });
  start.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    move([begin[0] + 0.5 * by[1], begin[1] - 0.25 * by[0]]);
  });
  rate.addEventListener("input", draw);
  momentum.addEventListener("input", draw);
  root.append(element("p", "course-hint", "Drag the ring to start elsewhere, or move it with the arrow keys."));
  root.querySelector("[hidden]").removeAttribute("hidden");
  svg.setAttribute("role", "group"); // the ring in it can be moved
  draw();
});
