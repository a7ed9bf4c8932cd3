// Choose two shapes: they are aligned at their last axes. Point at an entry of the sum, or step through all of them, to see
// which entry of each tensor it adds; repeated ones are pale.
widgets("broadcast", (root, { shapes, chosen }) => {
  const AXES = 2;
  const told = (shape) => shape.join(" × ");
  const says = root.querySelector("[role=status]");
  const table = root.querySelector(".course-scroll");
  const padded = (shape) => [...new Array(AXES - shape.length).fill(1), ...shape];
  const blocks = element("div", "course-blocks");
  let [places, at, grids] = [[...chosen], 0, []];

  // The shape of the sum, without the axes that neither has; or the two sizes that do not fit.
  const sum = (first, second) => {
    const pairs = padded(first).map((size, axis) => [size, padded(second)[axis]]);
    const wrong = pairs.findLastIndex(([one, other]) => one !== other && one !== 1 && other !== 1);
    const sizes = pairs.map(([one, other]) => (one === 1 ? other : one));
    return { wrong, pair: pairs[wrong], shape: sizes.slice(AXES - Math.max(first.length, second.length)) };
  };
  const VALUES = [(i, j, columns) => 10 * (i * columns + j + 1), (i, j, columns) => i * columns + j + 1];
  // Which entry stands at a place of the repeated tensor.
  const entry = (k, [rows, columns], row, column) => {
    const [i, j] = [rows === 1 ? 0 : row, columns === 1 ? 0 : column];
    return { i, j, value: VALUES[k](i, j, columns), copied: i !== row || j !== column };
  };

  const align = (both, { wrong, shape }) => {
    const body = table.querySelector("tbody");
    const rows = [["A", both[0]], ["B", both[1]], ...(wrong < 0 ? [["A + B", shape]] : [])];
    body.replaceChildren(...rows.map(([name, sizes], row) => {
      const line = element("tr");
      line.append(Object.assign(element("th", "", name), { scope: "row" }));
      for (let axis = 0; axis < AXES; axis += 1) {
        const size = sizes[axis - AXES + sizes.length];
        const cell = element("td", "", size ?? (row < 2 && shape.length === AXES ? "(1)" : ""));
        cell.toggleAttribute("data-wrong", axis === wrong);
        line.append(cell);
      }
      return line;
    }));
  };
  const block = (name, rows, columns, cell) => {
    const made = element("figure");
    const grid = element("div", "course-cells");
    grid.style.setProperty("--columns", columns);
    grid.setAttribute("aria-hidden", "true");
    for (let k = 0; k < rows * columns; k += 1) grid.append(cell(Math.floor(k / columns), k % columns));
    made.append(grid, element("figcaption", "", name));
    blocks.append(made);
    return [...grid.children];
  };
  const draw = () => {
    const both = places.map((place) => shapes[place]);
    const found = sum(...both);
    align(both, found);
    blocks.replaceChildren();
    grids = [];
    if (found.wrong >= 0) {
      says.textContent = `${told(both[0])} and ${told(both[1])} do not fit: on ${found.wrong === AXES - 1 ? "the last axis" : "the last axis but one"}, `
        + `${found.pair[0]} and ${found.pair[1]} differ, and neither is 1.`;
      run.mark(0, 0);
      return;
    }
    const [rows, columns] = padded(found.shape);
    const parts = both.map((shape, k) => (row, column) => entry(k, padded(shape), row, column));
    for (const [k, part] of parts.entries()) {
      grids.push(block("AB"[k], rows, columns, (row, column) => {
        const { value, copied } = part(row, column);
        const cell = element("i", "", value);
        cell.toggleAttribute("data-copied", copied);
        return cell;
      }));
      if (!k) blocks.append(element("b", "", "+"));
    }
    blocks.append(element("b", "", "="));
    grids.push(block("A + B", rows, columns, (row, column) => {
      const cell = element("i", "", parts[0](row, column).value + parts[1](row, column).value);
      cell.addEventListener("pointerenter", () => {
        run.stop();
        look(row * columns + column);
      });
      return cell;
    }));
    says.textContent = `${told(both[0])} and ${told(both[1])} fit: the sum has the shape ${told(found.shape)}.`;
    at = 0;
    run.mark(0, rows * columns);
  };
  // The entry of the sum with this number, and the two that it adds; 0 is none.
  const look = (cell) => {
    at = cell + 1;
    const both = places.map((place) => shapes[place]);
    const found = sum(...both);
    if (found.wrong >= 0) return;
    grids.forEach((grid) => grid.forEach((one, k) => one.toggleAttribute("data-on", k === cell)));
    const columns = padded(found.shape)[1];
    const [row, column] = [Math.floor(cell / columns), cell % columns];
    const index = (i, j, axes) => (axes === 1 ? `[${j}]` : `[${i}, ${j}]`);
    const terms = both.map((shape, k) => {
      const { i, j } = entry(k, padded(shape), row, column);
      return `${"AB"[k]}${index(i, j, shape.length)}`;
    });
    const words = `${told(both[0])} and ${told(both[1])} fit: the sum has the shape ${told(found.shape)}.`;
    says.textContent = cell < 0 ? words : `${words} Entry ${index(row, column, found.shape.length)} is ${terms.join(" + ")}.`;
    run.mark(at, grids[2].length);
  };
  const run = player(root, { action: "Step through", name: "entry", every: 700, go: (to) => {
    if (grids.length) look(to - 1);
  } });

  const choices = places.map((place, k) => chooser(`${"AB"[k]}: `, shapes.map((_, one) => one), (to) => {
    places[k] = to;
    if (ready) draw();
  }, (one) => told(shapes[one])));
  let ready = false;
  choices.forEach(({ press }, k) => press(places[k]));
  ready = true;
  root.prepend(...choices.map(({ group }) => group));
  table.after(blocks, run.bar);
  draw();
});
