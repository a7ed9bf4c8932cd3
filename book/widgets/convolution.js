// The kernel sweeps over the picture, or goes where a click or an arrow key sends it; stride, padding and dilation to choose.
// Without this the three tables of the plain case stand.
const CHOICES = { stride: [1, 2, 3], padding: [0, 1, 2], dilation: [1, 2] };

const numbers = (table) =>
  [...table.querySelectorAll("tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => parseFloat(cell.dataset.n))
  );

widgets("convolution", (root) => {
  const [seen, weights, made] = [...root.querySelectorAll("table")];
  let input = numbers(seen);
  const kernel = numbers(weights);
  const steps = { stride: 1, padding: 0, dilation: 1 };
  let [row, column, rows, columns] = [0, 0, 0, 0];
  let [inputs, outputs] = [[], []];

  const choosers = element("div", "course-choosers");
  const says = sentence();
  const frame = element("div", "course-frame");
  let swept = false; // outputs that the sweep has not reached yet are empty
  const sweep = player(root, {
    every: 420,
    first: 1,
    name: "output",
    go: (place) => {
      swept = true;
      move(Math.floor(place / columns), place % columns);
    },
  });
  seen.parentElement.append(frame);
  new ResizeObserver(() => surround()).observe(seen);
  root.querySelector(".course-tables").before(choosers);
  root.append(sweep.bar, says, element("p", "course-hint", "Click an output, or use the arrow keys there."));

  const at = (i, j) => input[i]?.[j] ?? 0;
  const count = (size, weights) => {
    const span = steps.dilation * (weights - 1) + 1;
    return Math.floor((size + 2 * steps.padding - span) / steps.stride) + 1;
  };
  const window = (i, j) =>
    kernel.flatMap((line, u) =>
      line.map((weight, v) => {
        const y = i * steps.stride + u * steps.dilation - steps.padding;
        const x = j * steps.stride + v * steps.dilation - steps.padding;
        return { weight, y, x, value: at(y, x) };
      })
    );
  const sum = (terms) => terms.reduce((total, { weight, value }) => total + weight * value, 0);

  const fill = (table, height, width, content) => {
    const body = table.querySelector("tbody");
    body.replaceChildren(
      ...Array.from({ length: height }, (_, i) => {
        const line = element("tr");
        line.append(...Array.from({ length: width }, (_, j) => content(i, j)));
        return line;
      })
    );
    return [...body.rows].map((line) => [...line.cells]);
  };
  const cell = (value) => {
    const one = element("td", "", minus(value));
    one.style.setProperty("--n", value);
    one.toggleAttribute("data-negative", value < 0);
    return one;
  };

  // The frame goes around what the kernel covers; again when the table is laid out anew.
  const surround = () => {
    const covered = [...seen.querySelectorAll("[data-on]")].map((one) => one.getBoundingClientRect());
    const from = frame.offsetParent?.getBoundingClientRect();
    if (!from || !covered.length) return;
    const [first, end] = [covered[0], covered.at(-1)];
    frame.style.transform = `translate(${first.left - from.left + frame.offsetParent.scrollLeft}px, ${first.top - from.top}px)`;
    [frame.style.width, frame.style.height] = [`${end.right - first.left}px`, `${end.bottom - first.top}px`];
  };
  const mark = () => {
    const terms = window(row, column);
    inputs.flat().forEach((one) => one.removeAttribute("data-on"));
    terms.forEach(({ y, x, weight }) => {
      inputs[y + steps.padding][x + steps.padding].setAttribute("data-on", `×${minus(weight)}`);
    });
    surround();
    outputs.forEach((line, i) =>
      line.forEach((one, j) => {
        const on = i === row && j === column;
        one.toggleAttribute("data-on", on);
        one.toggleAttribute("data-later", swept && i * columns + j > row * columns + column);
        one.firstElementChild.tabIndex = on ? 0 : -1;
        one.firstElementChild.setAttribute("aria-pressed", on);
      })
    );
    const products = terms.map(({ weight, value }) =>
      `${minus(value)}·${weight < 0 ? `(${minus(weight)})` : weight}`
    );
    says.textContent =
      `Row ${row + 1} of ${rows}, column ${column + 1} of ${columns}: ` +
      `${products.join(" + ")} = ${minus(sum(terms))}`;
    sweep.mark(row * columns + column, rows * columns - 1);
  };
  const move = (i, j) => {
    [row, column] = [within(i, rows), within(j, columns)];
    mark();
  };

  const build = () => {
    const { padding } = steps;
    [rows, columns] = [count(input.length, kernel.length), count(input[0].length, kernel[0].length)];
    inputs = fill(seen, input.length + 2 * padding, input[0].length + 2 * padding, (i, j) => {
      const one = cell(at(i - padding, j - padding));
      one.toggleAttribute("data-padding", input[i - padding]?.[j - padding] === undefined);
      return one;
    });
    outputs = fill(made, rows, columns, (i, j) => {
      const value = sum(window(i, j));
      const [one, inside] = [cell(value), button(minus(value))];
      inside.setAttribute("aria-label", `row ${i + 1}, column ${j + 1}: ${minus(value)}`);
      one.replaceChildren(inside);
      return one;
    });
    move(row, column);
  };

  for (const [name, values] of Object.entries(CHOICES)) {
    const { group, press } = chooser(name, values, (value) => {
      steps[name] = value;
      swept = false;
      build();
    });
    choosers.append(group);
    press(steps[name]);
  }

  if (input.length === 8 && input[0].length === 8) {
    const mine = element("div", "course-tools");
    mine.append(myDigit((kept) => {
      input = input.map((line, i) => line.map((_, j) => Math.round(16 * kept[8 * i + j])));
      swept = false;
      build();
    }));
    choosers.append(mine);
  }

  const find = (target) => {
    const place = target.closest("td");
    const i = outputs.findIndex((line) => line.includes(place));
    return i < 0 ? null : [i, outputs[i].indexOf(place)];
  };
  made.addEventListener("click", (event) => {
    const found = find(event.target);
    swept &&= !found;
    if (found) move(...found);
  });
  made.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    swept = false;
    if (event.key === "Home") move(0, 0);
    else if (event.key === "End") move(rows - 1, columns - 1);
    else if (by) move(row + by[0], column + by[1]);
    else return;
    event.preventDefault();
    outputs[row][column].firstElementChild.focus();
  });
});
