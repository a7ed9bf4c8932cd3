// The LSTM runs here, again for every text and every place of the slider of its forget gates. The player reads the text,
// or follows the gradient back from where the reading is.
widgets("gates", (root, { alphabet, texts, most, hidden, tables }) => {
  const shift = root.querySelector("input");
  const shiftSays = root.querySelector("output");
  const line = root.querySelector(".course-read");
  const board = root.querySelector(".course-units");
  const bars = [...root.querySelectorAll(".course-bar")];
  const whose = root.querySelector(".course-bars p");
  const says = root.querySelector("[role=status]");
  const symbols = [...alphabet];
  const WIDE = 16; // units in a row

  const [read, again, told] = ["read", "again", "told"].map((name) => {
    const [text, step] = tables[name];
    return Float64Array.from(Int8Array.from(atob(text), (byte) => byte.charCodeAt(0)), (whole) => whole * step);
  });
  const sigmoid = (score) => 1 / (1 + Math.exp(-score));

  // Gates, candidate and cell state of every step, and the bits that the next character costs.
  const run = (tokens, by) => {
    let [h, c] = [new Float64Array(hidden), new Float64Array(hidden)];
    return tokens.map((token, place) => {
      const scores = read.slice(4 * hidden * token, 4 * hidden * (token + 1));
      for (let row = 0; row < 4 * hidden; row += 1) {
        for (let unit = 0; unit < hidden; unit += 1) scores[row] += again[hidden * row + unit] * h[unit];
      }
      const part = (gate, act) => scores.slice(gate * hidden, (gate + 1) * hidden).map(act);
      const [i, f, g, o] = [part(0, sigmoid), part(1, (score) => sigmoid(score + by)), part(2, Math.tanh), part(3, sigmoid)];
      c = c.map((cell, unit) => f[unit] * cell + i[unit] * g[unit]);
      h = c.map((cell, unit) => o[unit] * Math.tanh(cell));
      const logits = symbols.map((_, symbol) => {
        const row = told.subarray((hidden + 1) * symbol, (hidden + 1) * (symbol + 1));
        return h.reduce((sum, value, unit) => sum + value * row[unit], row[hidden]);
      });
      const top = Math.max(...logits);
      const all = top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
      return { i, f, g, o, c, chance: Math.exp(logits[tokens[place + 1]] - all) };
    });
  };
  const costs = (steps) => {
    const asked = steps.slice(0, -1);
    return asked.reduce((sum, { chance }) => sum - Math.log2(chance), 0) / asked.length;
  };

  let [tokens, steps, usual, unit] = [[], [], 0, -1]; // unit −1: all of them
  let [end, far] = [0, -1]; // characters read, and how far back the gradient has come (−1: no gradient)

  // What is left of every character: the terms whose sum is the cell state.
  const terms = (end, one) => {
    let passed = 1;
    const found = new Float64Array(end);
    for (let step = end - 1; step >= 0; step -= 1) {
      found[step] = passed * steps[step].i[one] * steps[step].g[one];
      passed *= steps[step].f[one];
    }
    return found;
  };
  const half = (sizes) => {
    const all = sizes.reduce((sum, size) => sum + size, 0);
    let [count, sum] = [0, 0];
    while (sum < all / 2) sum += sizes[sizes.length - (count += 1)];
    return count;
  };

  // The gradient of the last cell state: what each unit's forget gates have left of it, step by step.
  const passed = (one) => {
    let left = 1;
    return steps.slice(0, end).reduceRight((found, { f }, step) => {
      found[step] = left;
      left *= f[one];
      return found;
    }, []);
  };
  const drawBack = (of) => {
    const left = of.map(passed);
    const mean = (step) => left.reduce((sum, one) => sum + one[step], 0) / of.length;
    const place = end - 1 - far;
    [...line.children].forEach((mark, step) => {
      mark.style.setProperty("--w", step >= place && step < end ? mean(step).toFixed(3) : 0);
      mark.toggleAttribute("data-negative", step >= place);
      mark.toggleAttribute("data-unread", step >= end);
      mark.toggleAttribute("data-here", step === place);
    });
    film.mark(far, end - 1);
    const percent = (100 * mean(place)).toFixed(mean(place) < 0.01 ? 2 : 0);
    const whose = unit < 0 ? `the mean of all ${hidden} units` : `of unit ${unit + 1}`;
    says.textContent = `Backward from character ${end}, the gradient of the cell state has gone back ${far} steps: on the direct path, `
      + `through ${far} forget gates, ${percent}% of it is left (${whose}).`;
    return steps[place];
  };
  const draw = () => {
    const of = unit < 0 ? Array.from({ length: hidden }, (_, one) => one) : [unit];
    const by = Number(shift.value);
    const now = far < 0 ? drawRead(of, by) : drawBack(of);
    cells.forEach((cell, one) => {
      cell.style.setProperty("--w", (Math.abs(now.c[one]) / (1 + Math.abs(now.c[one]))).toFixed(3));
      cell.toggleAttribute("data-negative", now.c[one] < 0);
      cell.setAttribute("aria-pressed", one === unit);
      cell.setAttribute("aria-label", `unit ${one + 1}: ${minus(now.c[one].toFixed(2))}`);
      cell.tabIndex = one === Math.max(unit, 0) ? 0 : -1;
    });
    whole.setAttribute("aria-pressed", unit < 0);
    whose.textContent = unit < 0 ? "gates, the mean of all units" : `gates of unit ${unit + 1}`;
    [now.i, now.f, now.o].forEach((gate, row) => {
      const mean = of.reduce((sum, one) => sum + gate[one], 0) / of.length;
      bars[row].querySelector("i").style.setProperty("--share", mean.toFixed(4));
      bars[row].lastElementChild.textContent = mean.toFixed(2);
    });
    shiftSays.textContent = by === 0 ? "as learned" : `${minus(Math.abs(by))} ${by > 0 ? "more open" : "more closed"}`;
    shift.setAttribute("aria-valuetext", shiftSays.textContent);
  };
  const drawRead = (of, by) => {
    const left = of.map((one) => terms(end, one));
    const sizes = left[0].map((_, step) => left.reduce((sum, one) => sum + Math.abs(one[step]), 0));
    const largest = Math.max(...sizes) || 1;
    [...line.children].forEach((mark, step) => {
      mark.style.setProperty("--w", ((sizes[step] ?? 0) / largest).toFixed(3));
      mark.toggleAttribute("data-negative", unit >= 0 && left[0][step] < 0);
      mark.toggleAttribute("data-unread", step >= end);
      mark.toggleAttribute("data-here", step === end - 1);
    });
    const now = steps[end - 1];
    film.mark(end - 1, tokens.length - 1);
    const holds = unit < 0 ? `Half of what all ${hidden} units hold after ${end} characters`
      : `Unit ${unit + 1} holds ${minus(now.c[unit].toFixed(2))} after ${end} characters. Half of it, signs aside,`;
    const next = end === tokens.length ? ""
      : ` The next character, “${symbols[tokens[end]].replace(" ", "␣")}”, gets the probability ${now.chance.toFixed(2)}.`;
    says.textContent = `${holds} was written by the last ${half(sizes)}.${next} The whole text costs `
      + `${costs(steps).toFixed(2)} bits per character, `
      + `${by === 0 ? "with the gates as learned" : `and ${usual.toFixed(2)} with the gates as learned`}.`;
    return now;
  };
  const film = player(root, {
    name: "step",
    every: () => (far < 0 ? 130 : 280),
    first: () => Number(far < 0), // characters are counted from 1, steps back from 0
    go: (to) => {
      [end, far] = far < 0 ? [to + 1, -1] : [end, to];
      draw();
    },
  });

  const cells = Array.from({ length: hidden }, (_, one) => button("", () => choose(one)));
  const whole = button("all units", () => choose(-1));
  const choose = (one) => {
    unit = one;
    draw();
  };
  for (let row = 0; row < hidden; row += WIDE) {
    const line = element("div", "course-row");
    line.append(...cells.slice(row, row + WIDE));
    board.append(line);
  }
  board.querySelectorAll("i").forEach((cell) => cell.remove());
  board.setAttribute("role", "group");
  board.setAttribute("aria-label", "units");
  board.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    choose(within(cells.indexOf(event.target) + WIDE * by[0] + by[1], hidden));
    cells[unit].focus();
  });
  board.after(whole);

  const rerun = () => {
    steps = run(tokens, Number(shift.value));
    draw();
  };
  const begin = (text) => {
    tokens = [...text].map((symbol) => symbols.indexOf(symbol));
    line.replaceChildren(...[...text].map((symbol) => element("span", "", symbol)));
    end = tokens.length;
    far = Math.min(far, 0);
    usual = costs(run(tokens, 0));
    rerun();
  };
  line.addEventListener("click", (event) => {
    const step = [...line.children].indexOf(event.target);
    if (step < 0) return;
    [end, far] = [step + 1, Math.min(far, 0)];
    draw();
  });
  shift.addEventListener("input", rerun);

  const { group, press } = chooser("Text: ", texts.map((_, index) => index), (index) => begin(texts[index]), (index) => index + 1);
  const field = element("input");
  Object.assign(field, { type: "text", maxLength: most, placeholder: "or your own" });
  field.setAttribute("aria-label", "a text of your own");
  field.addEventListener("input", () => {
    const text = [...field.value.toLowerCase()].filter((symbol) => symbols.includes(symbol)).join("");
    group.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", false));
    if (text.length > 1) begin(text);
  });
  group.append(field);
  line.before(group);
  const way = chooser("Watch: ", [-1, 0], (from) => {
    far = from;
    if (tokens.length) draw();
  }, (from) => (from < 0 ? "what is left of each character" : "how the gradient flows back"));
  line.before(way.group, film.bar);
  root.append(element("p", "course-hint", "Click a character to read up to it, and a unit to see it alone."));
  root.querySelector("[hidden]").removeAttribute("hidden");
  way.press(-1);
  press(0);
});
