// Move the digit with buttons, arrow keys or by dragging it. The answers at every place were computed
// before.
widgets("shift", (root, { reach, labels, pictures, reads, sure }) => {
  const board = root.querySelector(".course-board");
  const cells = [...board.querySelectorAll("i")];
  const rows = [...root.querySelectorAll("tbody tr")];
  const says = root.querySelector("[role=status]");
  const names = Object.keys(reads);
  let [number, down, right] = [0, 0, 0];

  const told = (by, one, other) => (by ? `${Math.abs(by)} ${by > 0 ? one : other}` : "");
  const draw = () => {
    const ink = [...pictures[number]].map((level) => parseInt(level, 36) / 16);
    cells.forEach((cell, k) => {
      const [i, j] = [Math.floor(k / 8) - down, (k % 8) - right];
      const inside = i >= 0 && i < 8 && j >= 0 && j < 8;
      cell.style.setProperty("--ink", inside ? ink[8 * i + j].toFixed(3) : 0);
    });
    const place = (down + reach) * (2 * reach + 1) + right + reach;
    let misread = 0;
    rows.forEach((row, k) => {
      const digit = Number(reads[names[k]][number][place]);
      row.cells[1].textContent = digit;
      row.cells[1].toggleAttribute("data-wrong", digit !== labels[number]);
      row.cells[2].textContent = `${sure[names[k]][number][place]}%`;
      misread += digit !== labels[number];
    });
    const where = [told(down, "down", "up"), told(right, "right", "left")].filter(Boolean).join(", ");
    says.textContent = `A ${labels[number]}, ${where ? `moved by ${where}` : "not moved"}: `
      + `${misread || "none"} of ${rows.length} predict${misread === 1 ? "s" : ""} another digit.`;
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
      number = (number + 1) % labels.length;
      draw();
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
