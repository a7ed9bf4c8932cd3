// Choose who looks (a patch, or the class token), through what, and in which picture.
widgets("patches", (root, { titles, side, pictures, views }) => {
  const names = Object.keys(views);
  let [number, view, on] = [0, names[0], 0];
  const photo = element("div", "course-photo");
  photo.style.setProperty("--side", side);
  const says = sentence();
  const where = (patch) => `row ${Math.floor((patch - 1) / side) + 1}, column ${((patch - 1) % side) + 1}`;
  const percent = (weight) => `${Math.round(weight / 10)}%`;

  const token = button("class token", () => ask(0));
  const cells = Array.from({ length: side * side }, (_, k) => button("", () => ask(k + 1)));
  photo.append(...cells);

  const draw = () => {
    const length = side * side + 1;
    const row = views[view][number].slice(on * length, (on + 1) * length);
    const most = Math.max(...row.slice(1)) || 1;
    photo.style.backgroundImage = `url(${pictures[number]})`;
    token.setAttribute("aria-pressed", on === 0);
    cells.forEach((cell, k) => {
      cell.style.setProperty("--w", row[k + 1] / most);
      cell.setAttribute("aria-label", `${where(k + 1)}: ${percent(row[k + 1])}`);
      cell.setAttribute("aria-pressed", on === k + 1);
    });
    const best = [...row.keys()].slice(1).sort((a, b) => row[b] - row[a]).slice(0, 2);
    const list = best.map((patch) => `${where(patch)} ${percent(row[patch])}`).join(" · ");
    says.textContent = `${titles[number]}, ${view}: ${on ? `the patch at ${where(on)}` : "the class token"} looks at `
      + `${list} · class token ${percent(row[0])}`;
  };
  const ask = (place) => {
    on = place;
    draw();
  };
  oneStop(photo, side)(0);

  const { group, press } = chooser("look through: ", names, (name) => {
    view = name;
    draw();
  });
  const tools = element("div", "course-tools");
  tools.append(group, token, button("next letter", () => {
    number = (number + 1) % titles.length;
    draw();
  }));
  root.replaceChildren(tools, photo, says);
  press(names[0]);
});
