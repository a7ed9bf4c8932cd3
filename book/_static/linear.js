// Softmax regression at work: ink on 8 by 8 pixels, ten scores, ten probabilities.
(() => {
  const element = (name, className, text = "") => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  };
  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

  const start = (root) => {
    root.dataset.ready = "";
    const { weight, bias, examples } = JSON.parse(root.dataset.model);
    let [number, on] = [0, 27];
    let pixels = [];

    const tools = element("div", "course-tools");
    const board = element("div", "course-board");
    board.setAttribute("role", "grid");
    board.setAttribute("aria-label", "A picture of 8 by 8 pixels");
    const bars = element("div", "course-bars");
    const says = element("p", "course-says");
    says.setAttribute("role", "status");
    const both = element("div", "course-both");
    both.append(board, bars);
    root.replaceChildren(tools, both, says);

    const cells = Array.from({ length: 64 }, (_, index) => {
      const cell = element("button", "");
      cell.type = "button";
      cell.setAttribute("role", "gridcell");
      cell.dataset.index = index;
      return cell;
    });
    for (let row = 0; row < 8; row += 1) {
      const line = element("div", "course-line");
      line.setAttribute("role", "row");
      line.append(...cells.slice(8 * row, 8 * row + 8));
      board.append(line);
    }
    const rows = weight.map((_, digit) => {
      const row = element("div", "course-bar");
      const track = element("span", "course-track");
      const [bar, score] = [element("i", ""), element("span", "")];
      track.append(bar);
      row.append(element("b", "", digit), track, score);
      bars.append(row);
      return { bar, score };
    });

    const draw = () => {
      const scores = weight.map((row, digit) => row.reduce((sum, w, k) => sum + w * pixels[k], bias[digit]));
      const top = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - top));
      const total = powers.reduce((sum, power) => sum + power);
      const ranked = [...scores.keys()].sort((i, j) => scores[j] - scores[i]);
      const [best, rival] = ranked;
      cells.forEach((cell, k) => {
        cell.style.setProperty("--ink", pixels[k].toFixed(3));
        cell.tabIndex = k === on ? 0 : -1;
        cell.toggleAttribute("data-on", k === on);
        const place = `row ${Math.floor(k / 8) + 1}, column ${(k % 8) + 1}`;
        cell.setAttribute("aria-label", `${place}: ink ${Math.round(100 * pixels[k])}%`);
      });
      rows.forEach(({ bar, score }, digit) => {
        bar.style.setProperty("--share", (powers[digit] / total).toFixed(4));
        score.textContent = signed(scores[digit]);
      });
      const sure = Math.min(99.9, (100 * powers[best]) / total).toFixed(1);
      says.textContent = `It reads ${best === 8 ? "an" : "a"} ${best} (${sure}%), `
        + `${(scores[best] - scores[rival]).toFixed(1)} ahead of the ${rival}. `
        + `Ink at row ${Math.floor(on / 8) + 1}, column ${(on % 8) + 1} adds ${signed(weight[best][on])} to the ${best} `
        + `and ${signed(weight[rival][on])} to the ${rival}.`;
    };

    const flip = (index) => {
      pixels[index] = pixels[index] < 0.5 ? 1 : 0;
      on = index;
      draw();
    };
    board.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-index]");
      if (cell) flip(Number(cell.dataset.index));
    });
    board.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("[data-index]");
      if (!cell || event.pointerType !== "mouse") return;
      on = Number(cell.dataset.index);
      draw();
    });
    board.addEventListener("keydown", (event) => {
      const [row, column] = [Math.floor(on / 8), on % 8];
      const to = {
        ArrowLeft: column > 0 && on - 1,
        ArrowRight: column < 7 && on + 1,
        ArrowUp: row > 0 && on - 8,
        ArrowDown: row < 7 && on + 8,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      if (to !== false) on = to;
      draw();
      cells[on].focus();
    });

    const load = (next) => {
      number = next % examples.length;
      pixels = [...examples[number]].map((level) => parseInt(level, 36) / 16);
      draw();
    };
    const actions = {
      "next picture": () => load(number + 1),
      "one pixel to the right": () => {
        pixels = pixels.map((_, k) => (k % 8 ? pixels[k - 1] : 0));
        draw();
      },
      "as it was": () => load(number),
    };
    tools.append(...Object.entries(actions).map(([name, act]) => {
      const button = element("button", "", name);
      button.type = "button";
      button.addEventListener("click", act);
      return button;
    }));
    load(0);
  };

  document.querySelectorAll(".course-weigh:not([data-ready])").forEach(start);
})();
