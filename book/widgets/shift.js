// Move the digit with buttons, arrow keys or by dragging it. The answers to real digits at every place were computed
// before; a digit of the reader is read here, by the networks that the page has.
widgets("shift", (root, { reach, labels, pictures, reads, sure, networks }) => {
  const board = root.querySelector(".course-board");
  const cells = [...board.querySelectorAll("i")];
  const rows = [...root.querySelectorAll("tbody tr")];
  const says = root.querySelector("[role=status]");
  const names = Object.keys(reads);
  const made = Object.fromEntries(Object.entries(networks).map(([name, layers]) => [name, network(layers)]));
  let [number, down, right, own] = [0, 0, 0, null]; // own: drawn by the reader

  const told = (by, one, other) => (by ? `${Math.abs(by)} ${by > 0 ? one : other}` : "");
  const draw = () => {
    const ink = own ?? [...pictures[number]].map((level) => parseInt(level, 36) / 16);
    const moved = ink.map((_, k) => {
      const [i, j] = [Math.floor(k / 8) - down, (k % 8) - right];
      return i >= 0 && i < 8 && j >= 0 && j < 8 ? ink[8 * i + j] : 0;
    });
    cells.forEach((cell, k) => cell.style.setProperty("--ink", moved[k].toFixed(3)));
    const where = [told(down, "down", "up"), told(right, "right", "left")].filter(Boolean).join(", ");
    const words = where ? `moved by ${where}` : "not moved";
    if (own) return read(ink, moved, words);
    const place = (down + reach) * (2 * reach + 1) + right + reach;
    let misread = 0;
    rows.forEach((row, k) => {
      row.hidden = false;
      const digit = Number(reads[names[k]][number][place]);
      row.cells[1].textContent = digit;
      row.cells[1].toggleAttribute("data-wrong", digit !== labels[number]);
      row.cells[2].textContent = `${sure[names[k]][number][place]}%`;
      misread += digit !== labels[number];
    });
    says.textContent = `A ${labels[number]}, ${words}: `
      + `${misread || "none"} of ${rows.length} predict${misread === 1 ? "s" : ""} another digit.`;
    board.setAttribute("aria-label", says.textContent);
  };
  const guess = (name, pixels) => {
    const chances = chancesOf(made[name].run(pixels).at(-1));
    const digit = chances.indexOf(Math.max(...chances));
    return [digit, Math.round(100 * chances[digit])];
  };
  // What nobody has labeled is wrong where it is read as another digit than before it was moved.
  const read = (ink, moved, words) => {
    const guesses = [];
    rows.forEach((row, k) => {
      row.hidden = !made[names[k]];
      if (row.hidden) return;
      const [[before], [digit, share]] = [guess(names[k], ink), guess(names[k], moved)];
      [row.cells[1].textContent, row.cells[2].textContent] = [digit, `${share}%`];
      row.cells[1].toggleAttribute("data-wrong", digit !== before);
      guesses.push(`${names[k]} reads ${digit}${ink.some((one, pixel) => one !== moved[pixel]) ? (digit === before ? ", as before" : `, and ${before} before`) : ""}`);
    });
    says.textContent = `Your digit, ${words}: ${guesses.join("; ")}.`;
    board.setAttribute("aria-label", says.textContent);
  };
  const limit = (by) => Math.min(Math.max(by, -reach), reach);
  const move = (y, x) => {
    [down, right] = [limit(down + y), limit(right + x)];
    draw();
  };

  const tools = element("div", "course-tools");
  tools.append(
    ...Object.entries({ "◂": "ArrowLeft", "▸": "ArrowRight", "▴": "ArrowUp", "▾": "ArrowDown" }).map(([text, key]) => {
      const made = button(text, () => move(...ARROWS[key]));
      made.setAttribute("aria-label", `move ${key.slice(5).toLowerCase()}`);
      return made;
    }),
    button("back to the start", () => move(-down, -right)),
    button("another digit", () => {
      if (!own) number = (number + 1) % labels.length;
      own = null;
      draw();
    }),
    myDigit((kept) => {
      own = kept;
      move(-down, -right);
    }),
  );
  tools.addEventListener("keydown", (event) => {
    if (!ARROWS[event.key]) return;
    event.preventDefault();
    move(...ARROWS[event.key]);
  });
  root.prepend(tools);

  let from = null;
  board.addEventListener("pointerdown", (event) => {
    board.setPointerCapture(event.pointerId);
    from = [event.clientY, event.clientX];
  });
  board.addEventListener("pointermove", (event) => {
    if (!from) return;
    const size = board.clientWidth / 8;
    const by = [event.clientY - from[0], event.clientX - from[1]].map((far) => Math.trunc(far / size));
    if (!by[0] && !by[1]) return;
    from = [from[0] + size * by[0], from[1] + size * by[1]];
    move(...by);
  });
  for (const end of ["pointerup", "pointercancel"]) board.addEventListener(end, () => { from = null; });
  draw();
});
