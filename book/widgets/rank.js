// Choose a rank by the slider or on the chart, and a matrix: sizes, singular values and what came of it.
widgets("rank", (root, { matrices, ranks, trained, cut, parameters, begin, places }) => {
  const GAP = 8;
  const [sizes, values, chart, steps, says] = ["sizes", "values", "chart", "steps"]
    .map((name) => root.querySelector(`.course-${name}`)).concat(root.querySelector("[role=status]"));
  const [slider, output] = steps.querySelectorAll("input, output");
  const title = root.querySelector(".course-panel span");
  const here = chart.querySelector(".course-here");
  let [at, which] = [begin, 0];

  const set = (part, attributes) => {
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  };
  const count = (number) => number.toLocaleString("en-US");
  const square = (list) => list.reduce((sum, value) => sum + value * value, 0);
  const held = (list, rank) => {
    const whole = square(list);
    return Math.floor((200 * square(list.slice(0, rank)) + whole) / (2 * whole));
  };
  const draw = () => {
    const rank = ranks[at];
    const { name, shape: [c, d], values: list } = matrices[which];
    const most = Math.min(c, d);
    sizes.setAttribute("viewBox", `0 0 ${d + GAP + most} ${c + GAP + most}`);
    set(sizes.querySelector(".course-w"), { width: d, height: c });
    set(sizes.querySelector(".course-a"), { y: c + GAP, width: d, height: rank });
    set(sizes.querySelector(".course-b"), { x: d + GAP, width: rank, height: c });
    [...values.children].forEach((bar, k) => {
      set(bar, { y: 1000 - list[k], height: list[k] });
      bar.toggleAttribute("data-held", k < rank);
    });
    set(here, { x1: places[at], x2: places[at] });
    title.textContent = name;
    slider.value = at;
    slider.setAttribute("aria-valuetext", `rank ${rank}`);
    output.textContent = rank;
    const numbers = matrices.reduce((sum, { shape }) => sum + shape[0] + shape[1], 0) * rank;
    const share = Math.floor((1000 * numbers + Math.floor(parameters / 2)) / parameters);
    const [[one, low, high], [other, least, top]] = [trained[at], cut[at]].map((three) => three.map((v) => v.toFixed(1)));
    says.textContent = `Rank ${rank}. For ${name}, A and B have ${count((c + d) * rank)} parameters, and W has ${count(c * d)}; `
      + `for all ${matrices.length} matrices, A and B have ${count(numbers)}, ${(share / 10).toFixed(1)}% of the model's. `
      + `${rank} of ${list.length} singular values hold ${held(list, rank)}% of the squared change of ${name}. `
      + `Accuracy: ${one}% with LoRA (${low} to ${high}), ${other}% with the truncated change (${least} to ${top}).`;
  };

  const [label, list] = [element("label", "", "matrix "), element("select")];
  list.append(...matrices.map(({ name }, k) => new Option(name, k)));
  list.addEventListener("change", () => {
    which = Number(list.value);
    draw();
  });
  label.append(list);
  root.querySelector(".course-tools").append(label);
  steps.removeAttribute("hidden");
  slider.addEventListener("input", () => {
    at = Number(slider.value);
    draw();
  });
  chart.addEventListener("click", (event) => {
    const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse()).x;
    const far = places.map((place) => Math.abs(place - x));
    at = far.indexOf(Math.min(...far));
    draw();
  });
  draw();
});
