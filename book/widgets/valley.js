// Paths in a valley, computed here for every place of the sliders and of the start. With two sliders for one path,
// the learning rate and the momentum; or with several optimizers that race, each at its own rate.
widgets("valley", (root, { tall, height, racers }) => {
  const [LEFT, RIGHT, NEAR] = [-10.6, 4.6, 0.5];
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const paths = root.querySelector(".course-paths");
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const inside = ([x, y]) => x >= LEFT && x <= RIGHT && Math.abs(y) <= height;
  const point = ([x, y]) => `${x.toFixed(3)} ${(-tall * y).toFixed(3)}`;
  let [begin, turned] = [[-9, 2], 0];

  // where the way from a point of the picture to one outside of it meets the frame
  const border = ([x0, y0], [x1, y1]) => {
    const shares = [];
    if (x1 !== x0) shares.push((LEFT - x0) / (x1 - x0), (RIGHT - x0) / (x1 - x0));
    if (y1 !== y0) shares.push((height - y0) / (y1 - y0), (-height - y0) / (y1 - y0));
    const share = Math.min(...shares.filter((one) => one > 0));
    return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
  };

  // A path in ½ (x² + 25 y²). The two weights are the coordinates along axes that are turned by an angle.
  const walk = ({ kind, rate, settings }, most) => {
    const [cos, sin] = [Math.cos(turned), Math.sin(turned)];
    const onAxes = ([x, y]) => [cos * x + sin * y, cos * y - sin * x];
    const weights = Float64Array.from(onAxes(begin));
    const moves = Engine.optimizer(kind, weights, settings);
    const found = { path: [begin], left: 0, rests: null, near: null, flies: false };
    for (let [step, [x, y]] = [1, begin]; step <= most && !found.flies; step += 1) {
      moves.step(Float64Array.from(onAxes([x, 25 * y])), rate);
      [x, y] = [cos * weights[0] - sin * weights[1], sin * weights[0] + cos * weights[1]];
      if (!inside([x, y])) found.left ||= step;
      found.path.push([x, y]);
      found.near ??= Math.hypot(x, y) < NEAR ? step : null;
      const speed = moves.memory.first; // of momentum
      found.rests = Math.hypot(x, y, speed[0] / 25, speed[1] / 25) < 0.05 ? found.rests ?? step : null;
      found.flies = Math.hypot(x, y) > 1e4;
    }
    return found;
  };

  // What stands in the picture for one path: its first steps, up to the frame.
  const trace = (color) => {
    const group = drawn(paths, "g", { style: `color:${color}` });
    const line = drawn(group, "path", { class: "course-path" });
    const dots = drawn(group, "path", { class: "course-steps" });
    const leaves = drawn(group, "path", { d: "M-.2-.2L.2 .2M-.2 .2L.2-.2", class: "course-leaves" });
    const here = drawn(group, "circle", { r: 0.24, fill: "currentColor" });
    return ({ path, left }, steps) => {
      const out = left > 0 && left <= steps;
      const shown = path.slice(0, out ? left : steps + 1);
      dots.setAttribute("d", shown.map((one) => `M${point(one)}h0`).join(""));
      if (out) shown.push(border(shown.at(-1), path[left]));
      line.setAttribute("d", `M${shown.map(point).join("L")}`);
      leaves.setAttribute("visibility", out ? "visible" : "hidden");
      here.setAttribute("visibility", racers && !out ? "visible" : "hidden");
      for (const mark of [leaves, here]) mark.setAttribute("transform", `translate(${point(shown.at(-1))})`);
    };
  };

  // ---- the start: a ring to drag, to move by keys, or to place by a tap

  const start = drawn(svg, "circle", { r: 0.32, class: "course-start", tabindex: 0, role: "slider" });
  const grip = drawn(svg, "circle", { r: 1, class: "course-grip" }); // as large as a finger
  const ring = () => {
    for (const one of [start, grip]) one.setAttribute("transform", `translate(${point(begin)})`);
    const place = `(${minus(begin[0].toFixed(1))}, ${minus(begin[1].toFixed(1))})`;
    for (const [name, value] of [
      ["label", "Start of the path: arrow keys move it"], ["valuenow", begin[0].toFixed(1)],
      ["valuemin", LEFT], ["valuemax", RIGHT], ["valuetext", place],
    ]) start.setAttribute(`aria-${name}`, value);
  };
  const move = ([x, y]) => {
    begin = [clamp(x, LEFT + 0.4, RIGHT - 0.4), clamp(y, 0.3 - height, height - 0.3)];
    ring();
    draw();
  };
  let dragged = false;
  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, -at.y / tall];
  };
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    dragged = true;
    grip.setPointerCapture(event.pointerId);
    start.focus();
  });
  grip.addEventListener("pointermove", (event) => { if (dragged) move(place(event)); });
  for (const end of ["pointerup", "pointercancel"]) grip.addEventListener(end, () => { dragged = false; });
  svg.addEventListener("click", (event) => { if (event.target !== grip) move(place(event)); });
  start.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    move([begin[0] + 0.5 * by[1], begin[1] - 0.25 * by[0]]);
  });

  // ---- one path and two sliders

  const single = () => {
    const [rate, momentum] = root.querySelectorAll("input");
    const outputs = root.querySelectorAll("output");
    const show = trace("var(--blue)");
    root.querySelector("[hidden]").removeAttribute("hidden");
    for (const one of [rate, momentum]) one.addEventListener("input", () => draw());
    return () => {
      const [eta, mu] = [Number(rate.value), Number(momentum.value)];
      outputs[0].textContent = eta.toFixed(3);
      outputs[1].textContent = mu.toFixed(2);
      const found = walk({ kind: "momentum", rate: eta, settings: { momentum: mu } }, 300);
      const left = found.left <= 60 && found.left;
      show(found, 60);
      const out = left ? `It leaves the picture in step ${left}` : "";
      says.textContent = found.flies ? `It diverges${left ? `: ${out.toLowerCase()}` : ""}.`
        : found.rests === null ? `${out ? `${out}, and is` : "It is"} not at the minimum after 300 steps.`
        : `${out ? `${out}, and comes` : "It comes"} to rest at the minimum after ${found.rests} steps.`;
    };
  };

  // ---- several that race

  const race = () => {
    const MOST = 100;
    const shows = racers.map(({ color }) => trace(color));
    let [walks, now] = [[], MOST];
    const results = racers.map(() => element("td"));
    const rows = racers.map((racer, k) => {
      const [row, name, control] = [element("tr"), element("th"), element("td")];
      name.append(element("i"), racer.name);
      name.style.setProperty("--own", racer.color);
      name.scope = "row";
      control.append(slider("", racer.rates, racer.rate, (value) => {
        racer.rate = value;
        draw();
      }));
      control.querySelector("input").ariaLabel = `learning rate of ${racer.name}`;
      row.append(name, control, results[k]);
      return row;
    });
    const [table, head] = [element("table", "course-racers"), element("tr")];
    head.append(...["optimizer", "learning rate", "in the circle"].map((words) => Object.assign(element("th", "", words), { scope: "col" })));
    table.append(head, ...rows);
    const inCircle = ({ near }) => near !== null && near <= now;
    const told = (found) => {
      const { path, near, left, flies } = found;
      if (inCircle(found)) return `after ${near} steps`;
      if (flies && left <= now) return "diverges";
      return left && left <= now ? "left the picture" : `${Math.hypot(...path[now]).toFixed(1)} away`;
    };
    const listed = (there) => racers.map(({ name }, k) => inCircle(walks[k]) === there && `${name} ${told(walks[k])}`).filter(Boolean).join(", ");
    const show = () => {
      shows.forEach((one, k) => one(walks[k], now));
      results.forEach((one, k) => { one.textContent = told(walks[k]); });
      const [there, away] = [listed(true), listed(false)];
      says.textContent = `Step ${now}.${there && ` In the circle around the minimum: ${there}.`}${away && ` Not there: ${away}.`}`;
    };
    const run = player(root, {
      action: "Race",
      every: 65,
      many: 10,
      steady: true,
      go: (to) => {
        now = to;
        show();
      },
    });
    run.mark(MOST, MOST);
    const axes = drawn(paths, "path", { class: "course-axes" });
    const names = ["w₁", "w₂"].map((name) => {
      const text = drawn(paths, "text", { class: "course-axis-name" });
      text.textContent = name;
      return text;
    });
    paths.prepend(axes, ...names);
    const turn = chooser("axes of the weights turned by ", [0, 30, 45], (angle) => {
      turned = (angle * Math.PI) / 180;
      const [cos, sin] = [2.2 * Math.cos(turned), 2.2 * Math.sin(turned)];
      const ends = [[cos, sin], [-sin, cos]];
      axes.setAttribute("d", ends.map((end) => `M${point(end.map((part) => -part))}L${point(end)}`).join(""));
      names.forEach((name, k) => name.setAttribute("transform", `translate(${point(ends[k].map((part) => 1.2 * part))})`));
      if (walks.length) draw();
    }, (angle) => `${angle}°`);
    turn.press(0);
    says.before(run.bar, turn.group, table);
    return () => {
      walks = racers.map((racer) => walk(racer, MOST));
      show();
    };
  };

  paths.replaceChildren();
  const draw = (racers ? race : single)();
  root.append(element("p", "course-hint", "Tap to start elsewhere, drag the ring, or move it with the arrow keys."));
  svg.setAttribute("role", "group"); // the ring in it can be moved
  ring();
  draw();
});
