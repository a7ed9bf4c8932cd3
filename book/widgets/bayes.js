// The sides of the rectangles are probabilities: drag an edge, or move a slider.
widgets("bayes", (root, { causes, results, chances, box: [left, top, side, bar, wide] }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const boxes = [...svg.querySelectorAll("rect:not(.course-edge)")];
  const divider = svg.querySelector("path");
  let result = 0;
  const percent = (share) => {
    const value = 100 * share;
    return `${value >= 1 ? value.toFixed(1) : Number(value.toPrecision(2))}%`;
  };
  const put = (shape, x, width, height, bottom) => {
    for (const [name, value] of Object.entries({ x, y: top + bottom - height, width, height })) shape.setAttribute(name, value.toFixed(2));
  };
  const draw = () => {
    const [prior, ...first] = chances;
    const likely = first.map((chance) => (result ? 1 - chance : chance));
    const joint = [prior * likely[0], (1 - prior) * likely[1]];
    const after = joint[0] / (joint[0] + joint[1]);
    const x = left + side * prior;
    // the second result fills what the first leaves, from above
    const bottoms = first.map((chance) => (result ? side * (1 - chance) : side));
    put(boxes[0], left, side * prior, side * likely[0], bottoms[0]);
    put(boxes[1], x, side * (1 - prior), side * likely[1], bottoms[1]);
    put(boxes[2], bar, wide, side * after, side);
    put(boxes[3], bar, wide, side * (1 - after), side * (1 - after));
    divider.setAttribute("d", `M${x.toFixed(2)} ${top}v${side}`);
    const seen = results[result];
    says.textContent = `Of all people, ${percent(joint[0])} are ${causes[0]} and ${seen}, ${percent(joint[1])} are ${causes[1]} and ${seen}. `
      + `So of those who are ${seen}, ${percent(after)} are ${causes[0]}; before the test it was ${percent(prior)}.`;
  };

  const small = [0.001, 0.002, 0.005];
  const values = [...small, ...Array.from({ length: 99 }, (_, k) => (k + 1) / 100), ...small.map((one) => 1 - one).reverse()];
  const nearest = (chance) => values.reduce((best, one, k) => (Math.abs(one - chance) < Math.abs(values[best] - chance) ? k : best), 0);
  const words = [`prior: ${causes[0]}`, ...causes.map((cause) => `${results[0]}, if ${cause}`)];
  const controls = words.map((name, k) => slider(name, values, values[nearest(chances[k])], (chance) => {
    chances[k] = chance;
    draw();
  }, percent));
  const set = (k, chance) => {
    const input = controls[k].querySelector("input");
    input.value = nearest(chance);
    input.dispatchEvent(new Event("input"));
  };
  let grabbed = 0;
  dragOver(svg, ([x, y], first) => {
    const at = [(x - left) / side, 1 - (y - top) / side];
    if (first) {
      const column = at[0] < chances[0] ? 1 : 2;
      const near = [Math.abs(at[0] - chances[0]), Math.abs(at[1] - chances[column])];
      grabbed = x > left + side + 12 ? -1 : near[0] <= near[1] ? 0 : column;
    }
    if (grabbed >= 0) set(grabbed, at[Math.min(grabbed, 1)]);
  });
  const choice = chooser("observed: ", [0, 1], (which) => {
    result = which;
    draw();
  }, (which) => results[which]);
  const tools = element("div", "course-odds");
  tools.append(...controls);
  root.prepend(tools, choice.group);
  svg.after(element("p", "course-hint", "Drag the edges of the rectangles, or move the sliders."));
  choice.press(0);
});
