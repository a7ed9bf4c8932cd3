// The first n samples of each problem, the rule that chooses one of them, and noise that is added to what verifiers say.
widgets("votes", (root, { problems, answers, logits, noise, rules: [first, vote, check], noises, begin, states, fine, size: [most, perRow, listed], axes }) => {
  const [says, svg, body, caption] = ["[role=status]", "svg", "tbody", "caption"].map((part) => root.querySelector(part));
  const [passed, chosen, dot] = svg.querySelectorAll(".course-check, .course-chosen, circle");
  const { place, value } = onAxes(axes);
  let [rule, n, at] = begin;
  let spread = noises[0];

  // Two digits for each sample: rows of numbers.
  const rowsOf = (text) => problems.map((_, p) => Array.from({ length: most }, (_, k) => parseInt(text.slice(2 * (p * most + k), 2 * (p * most + k) + 2), 36)));
  const scaled = (text, unit) => rowsOf(text).map((row) => row.map((whole) => (whole - 648) * unit));
  const codes = rowsOf(answers);
  const verifiers = Object.fromEntries(Object.entries(logits).map(([name, text]) => [name, scaled(text, fine)]));
  const added = scaled(noise, fine / 2);
  const signsOf = (code, count) => Array.from({ length: count }, (_, k) => (Math.floor(code / 3 ** k) % 3) - 1);
  const sumOf = (p, code) => signsOf(code, problems[p].length - 1).reduce((sum, sign, k) => sum + (sign ? sign * problems[p][k + 1] : NaN), 0);
  const right = codes.map((row, p) => row.map((code) => sumOf(p, code) === problems[p][0]));

  // The different answers among the first samples, the one that is chosen first: places, rank and score.
  const ranked = (p, count) => {
    const found = new Map();
    codes[p].slice(0, count).forEach((code, k) => {
      const score = verifiers[rule] ? verifiers[rule][p][k] + spread * added[p][k] : Number(rule === check && right[p][k]);
      const one = found.get(code) ?? { code, count: 0, score: -Infinity };
      found.set(code, { ...one, count: one.count + 1, score: Math.max(one.score, score), right: right[p][k] });
    });
    const rank = (one) => (rule === vote ? one.count : one.score);
    return [...found.values()].sort((a, b) => rank(b) - rank(a)); // stable: of equal ones, the earlier
  };
  const solves = (p, count) => ranked(p, count)[0].right;
  const percent = (test) => (100 * problems.filter((_, p) => test(p)).length) / problems.length;
  const counts = Array.from({ length: most }, (_, k) => k + 1);
  passed.setAttribute("d", lineOf(counts.map((count) => place([count, percent((p) => right[p].slice(0, count).some(Boolean))]))));

  const list = () => {
    const [target, ...numbers] = problems[at];
    const all = ranked(at, n);
    const late = all.slice(listed).filter((one) => one.right);
    const rows = [...all.slice(0, listed - late.length), ...late];
    const good = right[at].slice(0, n).filter(Boolean).length;
    caption.textContent = minus(`Problem ${at + 1}: target ${target}, numbers ${numbers.join(", ")}. Right samples: ${good} of ${n}.`);
    body.replaceChildren(...rows.map((one) => {
      const row = element("tr");
      const sum = sumOf(at, one.code);
      row.toggleAttribute("data-right", one.right);
      row.append(
        element("td", "", signsOf(one.code, numbers.length).map((sign, k) => `${"−?+"[sign + 1]}${numbers[k]}`).join(" ")),
        element("td", "", `${Number.isNaN(sum) ? "?" : minus(sum)}${one.right ? " ✓" : ""}`),
        element("td", "", one.count),
        element("td", "", verifiers[rule] ? (1 / (1 + Math.exp(-one.score))).toFixed(2) : ""),
      );
      return row;
    }));
  };
  const mark = () => {
    const found = problems.map((_, p) => (solves(p, n) ? "solved" : right[p].slice(0, n).some(Boolean) ? "missed" : "none"));
    found.forEach((state, p) => {
      const [sign, words] = states[state];
      tiles[p].dataset.is = state;
      tiles[p].textContent = sign;
      tiles[p].setAttribute("aria-label", `problem ${p + 1}: ${words}`);
      tiles[p].setAttribute("aria-pressed", p === at);
    });
    const [solved, missed, none] = Object.keys(states).map((state) => found.filter((one) => one === state).length);
    const where = place([n, (100 * solved) / problems.length]);
    ["cx", "cy"].forEach((key, k) => dot.setAttribute(key, where[k].toFixed(1)));
    const noisy = verifiers[rule] && spread ? ` with noise of ${spread}` : "";
    says.textContent = `${rule[0].toUpperCase()}${rule.slice(1)}${noisy}, n = ${n}: ${solved} of ${problems.length} problems are solved. `
      + `Not solved: ${missed} with a right answer among the samples, and ${none} without.`;
    list();
  };
  const draw = () => {
    chosen.setAttribute("d", lineOf(counts.map((count) => place([count, percent((p) => solves(p, count))]))));
    disturb.querySelector("input").disabled = !verifiers[rule];
    mark();
  };

  const board = root.querySelector(".course-problems");
  const tiles = problems.map((_, p) => button("", () => {
    at = p;
    mark();
  }));
  board.replaceChildren(...tiles);
  board.setAttribute("role", "group");
  board.setAttribute("aria-label", "Problems");
  const stop = oneStop(board, perRow);
  stop(at);
  const take = slider("n", counts, n, (to) => {
    n = to;
    mark();
  });
  const disturb = slider("noise", noises, spread, (to) => {
    spread = to;
    draw();
  });
  dragOver(svg, (point) => {
    const input = take.querySelector("input");
    input.value = within(Math.round(value(point)[0]) - 1, most);
    input.dispatchEvent(new Event("input"));
  });
  const rules = [first, vote, ...Object.keys(logits), check];
  const which = chooser("Choose by:", rules, (one) => {
    rule = one;
    draw();
  });
  which.mark(rule);
  const tools = element("div", "course-tools");
  tools.append(take, disturb);
  root.prepend(which.group, tools);
  root.append(element("p", "course-hint", "Drag the dot, too. Choose a problem to see its answers, the chosen one first. The gray line is the check; noise is added to the logit of each sample."));
  draw();
});
