// Step through the tiles; what each makes of the sums of one query is computed here, as `absorb` does it.
widgets("tilewalk", (root, { scores, values, exact, cuts, block }) => {
  const count = scores.length;
  const grid = root.querySelector(".course-scores");
  const title = root.querySelector("caption");
  const rows = [...root.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]);
  const [ring, dot] = [root.querySelector("circle.course-exact"), root.querySelector("circle.course-so-far")];
  const points = [...root.querySelectorAll("svg circle:not([class])")];
  const meter = [...root.querySelectorAll(".course-meter .course-bar")];
  const says = root.querySelector("[role=status]");
  let [size, at, query] = [block, cuts[block].length - 1, count - 1];

  const number = (value, digits = 2) => {
    if (value === -Infinity) return "−∞";
    const text = value.toFixed(digits);
    return Number(text) === 0 ? (0).toFixed(digits) : minus(text);
  };
  const span = (one, many, first, last) => (first + 1 === last ? `${one} ${last}` : `${many} ${first + 1} to ${last}`);
  const pair = ([x, y]) => `(${number(x)}, ${number(y)})`;

  // Before and after the tile that is looked at: maximum, total, and both entries of the output.
  const absorbed = () => {
    let [before, factors, added, after] = [[], [], [], [-Infinity, 0, 0, 0]];
    for (const [top, bottom, left, right] of cuts[size].slice(0, at + 1)) {
      if (query < top || query >= bottom) continue;
      const keys = scores[query].slice(left, Math.min(right, query + 1));
      before = after;
      const top1 = Math.max(before[0], ...keys);
      const weights = keys.map((score) => Math.exp(score - top1));
      const factor = Math.exp(before[0] - top1);
      factors = [null, total.checked ? factor : 1, output.checked ? factor : 1, output.checked ? factor : 1, factor];
      added = [Math.max(...keys), 0, 0, 0];
      weights.forEach((weight, key) => {
        added[1] += weight;
        added[2] += weight * values[left + key][0];
        added[3] += weight * values[left + key][1];
      });
      after = [top1, ...[1, 2, 3].map((k) => factors[k] * before[k] + added[k])];
    }
    return { before, factors, added, after };
  };

  const marks = grid.querySelectorAll("b");
  const cells = scores.map((_, row) => [...grid.querySelectorAll("i")].slice(row * count, (row + 1) * count));

  const draw = () => {
    const [top, bottom, left, right] = cuts[size][at];
    const { before, factors, added, after } = absorbed();
    const place = new Map(cuts[size].map((cut, index) => [`${cut[0]} ${cut[2]}`, index]));
    cells.forEach((line, row) => {
      marks[row].toggleAttribute("data-on", row === query);
      const most = Math.max(...scores[row].slice(0, Math.min(right, row + 1)));
      line.forEach((cell, key) => {
        const of = place.get(`${row - (row % size)} ${key - (key % size)}`) ?? Infinity;
        const [now, future] = [of === at, key > row];
        cell.className = [now && "course-now", future ? "course-future" : of < at && "course-done"].filter(Boolean).join(" ");
        cell.toggleAttribute("data-on", now && !future && row === query);
        cell.textContent = now ? number(future ? -Infinity : scores[row][key], 1) : "";
        cell.style.setProperty("--w", now && !future ? Math.exp(scores[row][key] - most).toFixed(3) : 0);
      });
    });
    title.textContent = `query ${query + 1}`;
    rows.forEach(([old, factor, tile, next], k) => {
      old.textContent = number(before[k]);
      factor.textContent = k ? number(factors[k]) : "";
      factor.toggleAttribute("data-wrong", k > 0 && factors[k] !== factors[4]);
      tile.textContent = number(added[k]);
      next.textContent = number(after[k]);
    });
    const found = [after[2] / after[1], after[3] / after[1]];
    const scale = 110 / Math.max(...values.flat().map(Math.abs));
    const put = (one, [x, y]) => {
      one.setAttribute("cx", Math.min(Math.max(scale * x, -112), 112).toFixed(1));
      one.setAttribute("cy", Math.min(Math.max(-scale * y, -112), 112).toFixed(1));
    };
    put(ring, exact[query]);
    put(dot, found);
    points.forEach((one, key) => one.toggleAttribute("data-seen", key < Math.min(right, query + 1)));

    const first = before[0] === -Infinity;
    const grows = first ? `This is the first tile for query ${query + 1}: nothing has been summed yet.`
      : after[0] === before[0] ? `For query ${query + 1} the maximum stays: the factor is 1.`
      : `For query ${query + 1} the maximum grows from ${number(before[0], 1)} to ${number(after[0], 1)}: `
        + `the sums so far are multiplied by ${number(factors[4])}.`;
    const gap = Math.hypot(found[0] - exact[query][0], found[1] - exact[query][1]);
    const last = right >= bottom;
    const end = last ? ` It was the last tile of ${size > 1 ? "these queries" : "this query"}: ṽ/ℓ is ${pair(found)}, `
      + (gap < 1e-9 ? "the softmax of the whole row." : `and the softmax of the whole row ${pair(exact[query])}.`) : "";
    says.textContent = `Tile ${at + 1} of ${cuts[size].length}: ${span("query", "queries", top, bottom)}, `
      + `${span("key", "keys", left, right)}. ${grows}${end} Scores in memory: ${size ** 2}; in the table: ${count ** 2}.`;
    film.mark(at, cuts[size].length - 1);
    [(at + 1) * size ** 2, size ** 2].forEach((held, k) => {
      meter[k].querySelector("i").style.setProperty("--share", (held / count ** 2).toFixed(4));
      meter[k].lastElementChild.textContent = held;
    });
    range.value = query + 1;
    asked.textContent = query + 1;
  };

  // Another tile; the query stays in its place among its rows.
  const go = (to) => {
    at = within(to, cuts[size].length);
    const [top, bottom] = cuts[size][at];
    query = Math.min(top + (query % size), bottom - 1);
    draw();
  };
  const ask = (row, key) => {
    query = row;
    const holds = ([top, bottom, left, right]) => row >= top && row < bottom && key >= left && key < right;
    const to = cuts[size].findIndex(holds);
    if (to >= 0) at = to;
    draw();
  };

  const film = player(root, { go, every: 900, first: 1, name: "tile" });
  const check = (text) => {
    const [label, box] = [element("label"), element("input")];
    Object.assign(box, { type: "checkbox", checked: true });
    box.addEventListener("change", () => draw());
    label.append(box, ` rescale ${text}`);
    return [label, box];
  };
  const [totals, total] = check("ℓ");
  const [outputs, output] = check("ṽ");
  const [which, range, asked] = [element("label", "", "query"), element("input"), element("output")];
  Object.assign(range, { type: "range", min: 1, max: count });
  range.addEventListener("input", () => ask(range.value - 1, 0));
  which.append(range, asked);
  const { group, press } = chooser("Block: ", Object.keys(cuts).map(Number), (value) => {
    size = value;
    ask(query, query); // the last tile of its rows
  });
  const more = element("div", "course-tools course-more-tools");
  more.append(which, totals, outputs);
  root.querySelector(".course-walk").before(group, more, film.bar);
  grid.addEventListener("click", (event) => {
    const row = cells.findIndex((line) => line.includes(event.target));
    if (row >= 0) ask(row, Math.min(cells[row].indexOf(event.target), row));
  });
  press(block);
});
