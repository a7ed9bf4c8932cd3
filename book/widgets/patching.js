// Draw a digit and see its patches; choose one to see its pixels in the picture and its vector. Cut by one reshape, each
// "patch" holds pieces of rows.
widgets("patching", (root, { examples, sizes }) => {
  let [pixels, size, wrong, chosen] = [[], sizes[0], false, 0];
  const note = root.querySelector(".course-note");
  const says = sentence();
  const { board, cells, real, tools } = digitBoard(examples, (given) => {
    pixels = given;
    draw();
  });
  const row = element("div", "course-patches-of");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Patches");

  // Which pixels of the picture a patch holds, in the order of its vector.
  const held = (patch) => Array.from({ length: size * size }, (_, k) => {
    if (wrong) return size * size * patch + k;
    const across = 8 / size;
    return 8 * (size * Math.floor(patch / across) + Math.floor(k / size)) + size * (patch % across) + (k % size);
  });
  const draw = () => {
    const count = 64 / size ** 2;
    chosen = within(chosen, count);
    const mine = held(chosen);
    cells.forEach((cell, k) => cell.toggleAttribute("data-on", mine.includes(k)));
    [...row.children].forEach((patch, place) => {
      const inks = held(place).map((k) => pixels[k]);
      patch.querySelectorAll("i").forEach((cell, k) => cell.style.setProperty("--ink", inks[k].toFixed(3)));
      patch.setAttribute("aria-pressed", place === chosen);
      patch.ariaLabel = `patch ${place}`;
    });
    const vector = mine.map((k) => Number(pixels[k].toFixed(2)));
    says.textContent = `${count} patches of ${size} × ${size} pixels, each a vector of ${size ** 2} numbers. `
      + `Patch ${chosen}: ${vector.slice(0, 8).join(", ")}${vector.length > 8 ? ", …" : ""}.`;
    note.hidden = !wrong;
  };
  const build = () => {
    row.style.setProperty("--size", size);
    row.replaceChildren(...Array.from({ length: 64 / size ** 2 }, (_, place) => {
      const patch = button("", () => {
        chosen = place;
        draw();
      });
      for (let line = 0; line < size; line += 1) {
        const made = element("span", "course-line");
        made.append(...Array.from({ length: size }, () => element("i")));
        patch.append(made);
      }
      return patch;
    }));
    stop(chosen);
    draw();
  };
  const stop = oneStop(row);

  const alt = root.querySelector("p");
  laidOut(root, tools, board, row, says);
  const sides = chooser("P = ", sizes, (value) => {
    size = value;
    if (pixels.length) build();
  });
  const ways = chooser("Cut: ", [false, true], (value) => {
    wrong = value;
    if (pixels.length) draw();
  }, (value) => (value ? "one reshape" : "axes moved"));
  const choices = element("div", "course-cut-choices");
  choices.append(sides.group, ways.group);
  root.prepend(alt, choices);
  says.after(note);
  real();
  sides.press(size);
  ways.press(false);
  // a link to the note, such as one in a report of the grader, shows what it is about
  const linked = () => {
    if (location.hash !== `#${note.id}`) return;
    ways.press(true);
    note.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", linked);
  if (location.hash === `#${note.id}`) ways.press(true);
});
