// Step a kernel over a picture: previous, next, a click on an output, arrow keys; stride, padding
// and dilation to choose. Without it the three tables of the plain case stand.
(() => {
  const element = (name, className, text = "") => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  };
  const CHOICES = { stride: [1, 2, 3], padding: [0, 1, 2], dilation: [1, 2] };
  const show = (number) => String(number).replace("-", "−");
  const numbers = (table) =>
    [...table.querySelectorAll("tr")].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => parseFloat(cell.dataset.n))
    );

  const start = (root) => {
    root.dataset.ready = "";
    const [seen, weights, made] = [...root.querySelectorAll("table")];
    const [input, kernel] = [numbers(seen), numbers(weights)];
    const steps = { stride: 1, padding: 0, dilation: 1 };
    let [row, column, rows, columns] = [0, 0, 0, 0];
    let [inputs, outputs] = [[], []];

    const choosers = element("div", "course-choosers");
    const says = element("p", "course-says");
    says.setAttribute("role", "status");
    const walk = element("div", "course-walk");
    const back = element("button", "", "◂ Previous");
    const next = element("button", "", "Next ▸");
    const hint = element("p", "course-hint", "Click an output, or use the arrow keys there.");
    back.type = next.type = "button";
    walk.append(back, next);
    root.querySelector(".course-tables").before(choosers);
    root.append(walk, says, hint);

    const at = (i, j) => (input[i] && input[i][j] !== undefined ? input[i][j] : 0);
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
          const line = element("tr", "");
          line.append(...Array.from({ length: width }, (_, j) => content(i, j)));
          return line;
        })
      );
      return [...body.rows].map((line) => [...line.cells]);
    };
    const cell = (value) => {
      const made = element("td", "", show(value));
      made.style.setProperty("--n", value);
      made.toggleAttribute("data-negative", value < 0);
      return made;
    };

    const mark = () => {
      const terms = window(row, column);
      inputs.flat().forEach((one) => one.removeAttribute("data-on"));
      terms.forEach(({ y, x }) => inputs[y + steps.padding][x + steps.padding].setAttribute("data-on", ""));
      outputs.forEach((line, i) =>
        line.forEach((one, j) => {
          const on = i === row && j === column;
          one.toggleAttribute("data-on", on);
          one.firstElementChild.tabIndex = on ? 0 : -1;
          one.firstElementChild.setAttribute("aria-pressed", on);
        })
      );
      const products = terms.map(({ weight, value }) =>
        `${show(value)}·${weight < 0 ? `(${show(weight)})` : weight}`
      );
      says.textContent =
        `Row ${row + 1} of ${rows}, column ${column + 1} of ${columns}: ` +
        `${products.join(" + ")} = ${show(sum(terms))}`;
      back.disabled = row === 0 && column === 0;
      next.disabled = row === rows - 1 && column === columns - 1;
    };
    const move = (i, j) => {
      row = Math.min(Math.max(i, 0), rows - 1);
      column = Math.min(Math.max(j, 0), columns - 1);
      mark();
    };
    const step = (by) => {
      const place = Math.min(Math.max(row * columns + column + by, 0), rows * columns - 1);
      move(Math.floor(place / columns), place % columns);
    };

    const build = () => {
      const { padding } = steps;
      [rows, columns] = [count(input.length, kernel.length), count(input[0].length, kernel[0].length)];
      inputs = fill(seen, input.length + 2 * padding, input[0].length + 2 * padding, (i, j) => {
        const one = cell(at(i - padding, j - padding));
        const inside = input[i - padding] && input[i - padding][j - padding] !== undefined;
        one.toggleAttribute("data-padding", !inside);
        return one;
      });
      outputs = fill(made, rows, columns, (i, j) => {
        const value = sum(window(i, j));
        const one = cell(value);
        const button = element("button", "", show(value));
        button.type = "button";
        button.setAttribute("aria-label", `row ${i + 1}, column ${j + 1}: ${show(value)}`);
        one.replaceChildren(button);
        return one;
      });
      move(row, column);
    };

    for (const [name, values] of Object.entries(CHOICES)) {
      const group = element("div", "course-chooser", name);
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", name);
      const buttons = values.map((value) => {
        const button = element("button", "", value);
        button.type = "button";
        button.setAttribute("aria-pressed", value === steps[name]);
        button.addEventListener("click", () => {
          steps[name] = value;
          buttons.forEach((other) => other.setAttribute("aria-pressed", other === button));
          build();
        });
        return button;
      });
      group.append(...buttons);
      choosers.append(group);
    }

    back.addEventListener("click", () => step(-1));
    next.addEventListener("click", () => step(1));
    const find = (target) => {
      const place = target.closest("td");
      const i = outputs.findIndex((line) => line.includes(place));
      return i < 0 ? null : [i, outputs[i].indexOf(place)];
    };
    made.addEventListener("click", (event) => {
      const found = find(event.target);
      if (found) move(...found);
    });
    made.addEventListener("keydown", (event) => {
      const by = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key];
      if (event.key === "Home") move(0, 0);
      else if (event.key === "End") move(rows - 1, columns - 1);
      else if (by) move(row + by[0], column + by[1]);
      else return;
      event.preventDefault();
      outputs[row][column].firstElementChild.focus();
    });
    build();
  };

  document.querySelectorAll(".course-convolution:not([data-ready])").forEach(start);
})();
