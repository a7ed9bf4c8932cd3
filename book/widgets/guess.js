// Choose one model or two and a character of the text; see what was expected there.
widgets("guess", (root, { text, before, models, begin }) => {
  const TOP = 5;
  const DEEPEST = { alone: 8, apart: 5 }; // bits from which the shade grows no deeper
  const BEFORE = 24;
  const symbols = [...text];
  const [key, line, steps, past, panels, says] = ["key", "read", "steps", "before", "panels"]
    .map((name) => root.querySelector(`.course-${name}`)).concat(root.querySelector("[role=status]"));
  const slider = root.querySelector("input");
  let [one, two, at] = begin; // two is −1 where there is one alone

  const shown = (symbol) => ({ " ": "␣", "\n": "⏎" })[symbol] ?? symbol;
  const percent = (chance) => (chance >= 10 ? `${Math.floor(chance / 10 + 0.5)}%` : "<1%");
  const bits = (model, place) => models[model].bits[place] / 100;
  const mean = (model) => (models[model].bits.reduce((sum, cost) => sum + cost, 0) / 100 / symbols.length).toFixed(2);
  const pair = () => (two < 0 || two === one ? [one] : [one, two]);
  // What is shaded: the bits of one, or by how many the second needed more than the first.
  const values = () => symbols.map((_, place) => (pair().length > 1
    ? (models[two].bits[place] - models[one].bits[place]) / 100 : bits(one, place)));
  const depth = (value) => Math.min(Math.abs(value) / (pair().length > 1 ? DEEPEST.apart : DEEPEST.alone), 1);

  const bar = (top, chance, right) => {
    const row = element("div", "course-bar");
    const [track, share] = [element("span"), element("i")];
    share.style.setProperty("--share", (chance / 1000).toFixed(3));
    track.append(share);
    row.toggleAttribute("data-right", right);
    row.append(element("b", "", shown(top)), track, element("span", "", `${right ? "✓ " : ""}${percent(chance)}`));
    return row;
  };
  const panel = ({ name, color, tops, chances }, model) => {
    const part = element("div", "course-panel");
    const title = element("p");
    part.style.setProperty("--tone", color);
    part.toggleAttribute("data-chosen", pair().includes(model));
    title.append(element("b", "", name), " ", element("span", "", `${bits(model, at).toFixed(2)} bits`));
    const first = [...tops].slice(TOP * at, TOP * at + TOP);
    part.append(title, ...first.map((top, k) => bar(top, chances[TOP * at + k], top === symbols[at])));
    if (!first.includes(symbols[at])) part.append(bar(symbols[at], 1000 * 2 ** -bits(model, at), true));
    return part;
  };
  const half = (costs) => {
    const [sorted, all] = [[...costs].sort((a, b) => b - a), costs.reduce((sum, cost) => sum + cost, 0)];
    let [count, sum] = [0, 0];
    while (sum < all / 2) sum += sorted[(count += 1) - 1];
    return count;
  };

  const draw = () => {
    const chosen = pair();
    const found = values();
    root.style.setProperty("--one", models[one].color);
    root.style.setProperty("--two", models[chosen.at(-1)].color);
    key.replaceChildren(...chosen.map((model, side) => {
      const [part, mark] = [element("span"), element("i")];
      mark.dataset.side = side;
      part.append(mark, `${models[model].name}${chosen.length > 1 ? " predicted it better" : ": the deeper, the more bits it cost"}`);
      return part;
    }));
    [...line.children].forEach((mark, place) => {
      mark.style.setProperty("--w", depth(found[place]).toFixed(2));
      mark.dataset.side = found[place] < 0 ? 1 : 0;
      mark.toggleAttribute("data-here", place === at);
    });
    const all = (before + text).slice(0, before.length + at);
    const short = `${all.length > BEFORE ? "…" : ""}${all.slice(-BEFORE).replaceAll("\n", "⏎")}`;
    past.replaceChildren(short, element("b", "", "?"));
    panels.replaceChildren(...models.map(panel));
    slider.value = at + 1;
    slider.setAttribute("aria-valuetext", `${at + 1} of ${symbols.length}: ${shown(symbols[at])}`);
    const better = (sign) => found.filter((value) => sign * value > 0).length;
    says.textContent = `Bits per character in these ${symbols.length}: ${chosen.map((model) => `${models[model].name} ${mean(model)}`).join(", ")}. `
      + (chosen.length > 1 ? `Predicted better by ${models[one].name}: ${better(1)}, by ${models[two].name}: ${better(-1)}. `
        : `Half of these bits are spent on ${half(models[one].bits)} characters. `)
      + `“${shown(symbols[at])}” after “${short}”: `
      + `${chosen.map((model, k) => `${bits(model, at).toFixed(2)}${k ? "" : " bits"} for ${models[model].name}`).join(", ")}.`;
  };
  const go = (place) => {
    at = within(place, symbols.length);
    draw();
  };

  const menu = (label, none, start, act) => {
    const [whole, list] = [element("label", "", label), element("select")];
    list.append(...none, ...models.map(({ name }, model) => new Option(name, model, false, model === start)));
    list.addEventListener("change", () => {
      act(Number(list.value));
      draw();
    });
    whole.append(list);
    return whole;
  };
  root.querySelector(".course-tools").append(
    menu("read by ", [], one, (model) => (one = model)),
    menu("beside ", [new Option("nobody", -1)], two, (model) => (two = model)),
  );
  const step = (label, text, act) => {
    const made = button(text, act);
    made.setAttribute("aria-label", label);
    return made;
  };
  steps.append(
    step("the character before", "‹", () => go(at - 1)),
    step("the next character", "›", () => go(at + 1)),
    button("next dark shade", () => {
      const deep = values().map(depth);
      const order = deep.map((_, k) => (at + 1 + k) % deep.length);
      go(order.find((place) => deep[place] >= 0.6) ?? at);
    }),
  );
  steps.removeAttribute("hidden");
  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  line.addEventListener("click", (event) => {
    const place = [...line.children].indexOf(event.target);
    if (place >= 0) go(place);
  });
  draw();
});
