// Point at a row, click to hold it, or use the arrow keys. The table stands without this.
widgets("attention", (root, heads) => {
  const scroll = root.querySelector(".course-scroll");
  const rows = [...root.querySelectorAll("tbody tr")];
  const cells = rows.map((row) => [...row.querySelectorAll("td")]);
  const keys = [...root.querySelectorAll("thead th")].map((cell) => cell.textContent);
  const queries = rows.map((row) => row.firstElementChild.textContent);
  const self = queries.join("\0") === keys.join("\0");
  let weights = cells.map((row) => row.map((cell) => parseFloat(cell.style.getPropertyValue("--w"))));
  let [on, column, held] = [0, -1, false];

  const words = element("p", "course-words");
  words.setAttribute("aria-hidden", "true");
  if (self) words.dataset.self = "";
  const spans = keys.map((key) => element("span", "", key));
  spans.forEach((span) => words.append(span, " "));
  const says = sentence();
  scroll.after(words, says, element("p", "course-hint", "Point at a row, click to hold it, or use the arrow keys."));

  // a decoder that writes: what it has written, and beams from its last token to the tokens to which it attends
  const film = "written" in root.dataset && player(root, { name: "token", first: 1, every: 900, go: (query) => move(query, -1, true) });
  const output = element("p", "course-output");
  output.setAttribute("aria-hidden", "true");
  const made = queries.map((query) => element("span", "", query));
  output.innerHTML = "<svg></svg>";
  const sky = output.firstChild;
  let later = false; // whether the tokens after this one are still to be written
  const shine = () => {
    rows.forEach((line, query) => line.toggleAttribute("data-later", later && query > on));
    made.forEach((one, query) => {
      one.toggleAttribute("data-on", query === on);
      one.toggleAttribute("data-later", later && query > on);
    });
    if (self) spans.forEach((one, key) => one.toggleAttribute("data-later", later && key > on));
    const box = output.getBoundingClientRect();
    const middle = (one, edge) => {
      const place = one.getBoundingClientRect();
      return `${(place.left + place.width / 2 - box.left).toFixed(1)} ${(place[edge] - box.top).toFixed(1)}`;
    };
    sky.replaceChildren();
    weights[on].forEach((weight, key) => {
      if (weight < 0.02) return;
      drawn(sky, "path", { d: `M${middle(made[on], "top")}L${middle(spans[key], "bottom")}`, style: `--w:${weight}` });
    });
    film.mark(later ? on : rows.length - 1, rows.length - 1);
  };
  if (film) {
    made.forEach((one) => sky.before(one, " "));
    words.after(output);
    scroll.before(film.bar);
    new ResizeObserver(() => shine()).observe(output);
  }
  const notes = [...root.querySelectorAll(".course-note")];
  const buttons = rows.map((row, query) => {
    const made = button(queries[query]);
    row.firstElementChild.replaceChildren(made);
    return made;
  });

  const draw = () => {
    const row = weights[on];
    words.style.setProperty("--max", Math.max(...row) || 1);
    spans.forEach((span, key) => {
      span.style.setProperty("--w", row[key]);
      span.toggleAttribute("data-on", self && key === on);
    });
    rows.forEach((line, query) => {
      line.toggleAttribute("data-on", query === on);
      line.toggleAttribute("data-held", query === on && held);
      buttons[query].tabIndex = query === on ? 0 : -1;
      buttons[query].setAttribute("aria-pressed", query === on && held);
      cells[query].forEach((cell, key) => cell.toggleAttribute("data-on", query === on && key === column));
    });
    if (film) shine();
    const order = row.map((_, key) => key).sort((a, b) => row[b] - row[a]);
    const named = column < 0 ? order.slice(0, 3).filter((key) => row[key] > 0) : [column];
    const list = named.map((key) => `${keys[key]} (${row[key].toFixed(2)})`).join(" · ");
    const sum = row.reduce((all, weight) => all + weight, 0);
    says.textContent = `${queries[on]} ${root.dataset.verb} ${list || "nothing"}`
      + (notes.length ? ` · all weights of the row: ${sum.toFixed(2)}` : "") + (held ? " (held)" : "");
  };

  // what the map opens with: what its page asks for, or the query that looks hardest at another word
  const other = (row, query) => Math.max(...row.filter((_, key) => !self || key !== query));
  const telling = () => {
    if (root.dataset.opens) return Number(root.dataset.opens);
    const all = weights.map(other);
    return all.indexOf(Math.max(...all));
  };
  const move = (query, key = -1, written = false) => {
    [on, column, later] = [query, key, written];
    draw();
  };
  const hold = (query) => {
    held = !(held && query === on);
    move(query);
  };
  const place = (target) => {
    const word = spans.indexOf(target);
    if (word >= 0) return self ? [word, -1] : null;
    const line = target.closest("tbody tr");
    return line && [rows.indexOf(line), cells[rows.indexOf(line)].indexOf(target.closest("td"))];
  };

  let [x, y] = [-1, -1];
  root.addEventListener("pointermove", (event) => {
    if ((event.clientX === x && event.clientY === y) || (film && film.playing())) return; // the page moved, not the pointer
    [x, y] = [event.clientX, event.clientY];
    const found = place(event.target);
    if (found && (!held || found[0] === on)) move(...found);
  });
  root.addEventListener("pointerleave", () => move(on, -1, later));
  root.addEventListener("click", (event) => {
    const found = place(event.target);
    if (found) hold(found[0]);
  });
  root.addEventListener("focusin", (event) => {
    const query = buttons.indexOf(event.target);
    if (query >= 0 && query !== on && !held) move(query);
  });
  scroll.addEventListener("keydown", (event) => {
    const [down, right] = ARROWS[event.key] ?? [0, 0];
    if (event.key === "Escape") held = false;
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(rows.length - 1);
    else if (down) move(within(on + down, rows.length));
    else if (right) move(on, within(column + right, keys.length));
    else return;
    event.preventDefault();
    draw();
    buttons[on].focus();
  });

  const counted = button("numbers", () => {
    counted.setAttribute("aria-pressed", root.toggleAttribute("data-numbers"));
  });
  counted.setAttribute("aria-pressed", "numbers" in root.dataset);
  const below = element("div", "course-tools");
  below.append(counted);
  root.append(below);
  const scale = () => root.style.setProperty("--max", Math.max(...weights.flat()) || 1);
  if (heads.length) {
    const choose = (head) => {
      weights = heads[head].map((row) => row.map((weight) => weight / 1000));
      weights.forEach((row, query) => row.forEach((weight, key) => {
        cells[query][key].style.setProperty("--w", weight);
        cells[query][key].textContent = weight.toFixed(2);
      }));
      scale();
      notes.forEach((note, place) => (note.hidden = place + 1 !== head));
      if (!held) on = telling();
      draw();
    };
    const names = root.dataset.names?.split("|");
    const label = names ? "Show: " : "Head ";
    const { group, press } = chooser(label, [...heads.keys()], choose, (head) => names?.[head] ?? head + 1);
    // heads of several layers: a line for each layer, and their numbers on the buttons
    let line = "";
    [...group.children].forEach((one, head) => {
      const [layer, number = ""] = (names?.[head] ?? "").split(/, (?=head \d+$)/);
      if (number) [one.textContent, one.ariaLabel] = [number.slice(5), names[head]];
      if (names && (number || line) && layer !== line) {
        if (line) one.before(element("i", "course-break"));
        else group.firstChild.data = "";
        one.before(number ? `${layer}, head` : "");
        line = layer;
      }
    });
    root.prepend(group);
    // a link to a note, such as one in a report of the grader, shows its map
    const linked = () => {
      const place = notes.findIndex((note) => `#${note.id}` === location.hash);
      if (place >= 0) press(place + 1);
      return notes[place];
    };
    addEventListener("hashchange", () => linked()?.scrollIntoView({ block: "center" }));
    press(0);
    linked();
  }
  on = telling();
  scale();
  draw();
});
