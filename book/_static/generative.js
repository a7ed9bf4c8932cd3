// Draw a digit for Bernoulli naive Bayes: ink, paper or unknown; it reads, fills in and rates density.
(() => {
  const element = (name, className, text = "") => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  };
  const logSumExp = (values) => {
    const top = Math.max(...values);
    return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
  };
  const [PAPER, INK, UNKNOWN] = [0, 1, 2];
  const NAMES = ["paper", "ink", "unknown"];

  const start = (root) => {
    root.dataset.ready = "";
    const { coins, prior, examples, usual } = JSON.parse(root.dataset.model);
    const pixels = new Array(64).fill(UNKNOWN);
    let [brush, on] = [INK, 0];

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

    const cells = pixels.map((_, index) => {
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
    const rows = coins.map((_, digit) => {
      const row = element("div", "course-bar");
      const bar = element("i", "");
      const share = element("span", "");
      row.append(element("b", "", digit), bar, share);
      bars.append(row);
      return { bar, share };
    });

    const draw = () => {
      const joint = coins.map((row, digit) => row.reduce((sum, p, k) => (
        pixels[k] === UNKNOWN ? sum : sum + Math.log(pixels[k] === INK ? p : 1 - p)
      ), prior[digit]));
      const evidence = logSumExp(joint);
      const posterior = joint.map((value) => Math.exp(value - evidence));
      cells.forEach((cell, k) => {
        const expected = coins.reduce((sum, row, digit) => sum + posterior[digit] * row[k], 0);
        const gray = pixels[k] === UNKNOWN ? expected : pixels[k];
        cell.style.setProperty("--ink", gray.toFixed(3));
        cell.toggleAttribute("data-unknown", pixels[k] === UNKNOWN);
        cell.tabIndex = k === on ? 0 : -1;
        const named = pixels[k] === UNKNOWN ? `unknown, ink ${Math.round(100 * expected)}%` : NAMES[pixels[k]];
        cell.setAttribute("aria-label", `row ${Math.floor(k / 8) + 1}, column ${(k % 8) + 1}: ${named}`);
      });
      posterior.forEach((share, digit) => {
        rows[digit].bar.style.setProperty("--share", share.toFixed(4));
        rows[digit].share.textContent = `${Math.round(100 * share)}%`;
      });
      const unknown = pixels.filter((pixel) => pixel === UNKNOWN).length;
      const best = posterior.indexOf(Math.max(...posterior));
      const read = unknown === 64 ? "Nothing seen: the bars are the prior." : `It reads ${best === 8 ? "an" : "a"} ${best}.`;
      const value = `${evidence < 0 ? "−" : ""}${Math.abs(evidence).toFixed(1)}`;
      const [low, high] = usual.map((bound) => `−${Math.abs(bound).toFixed(0)}`);
      const dense = unknown ? `ln p(seen) = ${value} nats; ${unknown} pixels unknown, filled in as expected.`
        : `ln p(x) = ${value} nats; nine in ten real digits lie between ${low} and ${high}.`;
      says.textContent = `${read} ${dense}`;
    };

    const paint = (index) => {
      pixels[index] = brush;
      on = index;
      draw();
    };
    let painting = false;
    board.addEventListener("pointerdown", (event) => {
      const cell = event.target.closest("[data-index]");
      if (!cell) return;
      painting = true;
      event.target.releasePointerCapture?.(event.pointerId);
      paint(Number(cell.dataset.index));
    });
    board.addEventListener("pointermove", (event) => {
      if (!painting) return;
      const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-index]");
      if (cell && board.contains(cell)) paint(Number(cell.dataset.index));
    });
    window.addEventListener("pointerup", () => { painting = false; });
    window.addEventListener("pointercancel", () => { painting = false; });
    board.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -8, ArrowDown: 8 }[event.key];
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        paint(on);
      } else if (step && on + step >= 0 && on + step < 64) {
        event.preventDefault();
        on += step;
        draw();
        cells[on].focus();
      }
    });

    const brushes = [INK, PAPER, UNKNOWN].map((kind) => {
      const button = element("button", "", NAMES[kind]);
      button.type = "button";
      button.addEventListener("click", () => choose(kind));
      return [kind, button];
    });
    const choose = (kind) => {
      brush = kind;
      brushes.forEach(([other, button]) => button.setAttribute("aria-pressed", other === kind));
    };
    const set = (make) => {
      pixels.forEach((_, k) => { pixels[k] = make(k); });
      draw();
    };
    let next = 0;
    const actions = {
      "a real digit": () => {
        const text = examples[next % examples.length];
        next += 1;
        set((k) => Number(text[k]));
      },
      "hide the lower half": () => set((k) => (k >= 32 ? UNKNOWN : pixels[k])),
      "rest is paper": () => set((k) => (pixels[k] === UNKNOWN ? PAPER : pixels[k])),
      "start again": () => set(() => UNKNOWN),
    };
    const made = Object.entries(actions).map(([name, act]) => {
      const button = element("button", "", name);
      button.type = "button";
      button.addEventListener("click", act);
      return button;
    });
    const pens = element("span", "", "Brush: ");
    pens.append(...brushes.map(([, button]) => button));
    tools.append(pens, ...made);
    choose(INK);
    actions["a real digit"]();
    actions["hide the lower half"]();
  };

  document.querySelectorAll(".course-draw:not([data-ready])").forEach(start);
})();
