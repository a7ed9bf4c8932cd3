// Choose two models, see the pictures that only one of them reads.
widgets("disagree", (root, { names, truth, answers, right, total, begin }) => {
  const lists = root.querySelector(".course-lists");
  const says = root.querySelector(".course-says");
  const chosen = [...begin];

  const answer = (said, label) => element(said === label ? "b" : "span", "", said);
  const item = (place) => {
    const [one, two] = chosen.map((model) => answers[model][place]);
    const line = element("li");
    line.setAttribute("aria-label", `a ${truth[place]}, read as ${one} and ${two}`);
    const photo = element("i");
    photo.style.setProperty("--at", place / Math.max(truth.length - 1, 1));
    line.append(photo, answer(one, truth[place]), " ", answer(two, truth[place]));
    return line;
  };
  const draw = () => {
    const [first, second] = chosen.map((model) => names[model]);
    const places = [...truth.keys()];
    const reads = (which, place) => answers[chosen[which]][place] === truth[place];
    const both = right + places.filter((place) => reads(0, place) && reads(1, place)).length;
    const apart = places.filter((place) => answers[chosen[0]][place] !== answers[chosen[1]][place]);
    says.textContent = `${first} and ${second} both classify ${both} of ${total} pictures correctly.`;
    lists.replaceChildren(...[
      [`Only ${first} is right`, (place) => reads(0, place)],
      [`Only ${second} is right`, (place) => reads(1, place)],
      ["Both are wrong, with different answers", (place) => !reads(0, place) && !reads(1, place)],
    ].flatMap(([text, wanted]) => {
      const [title, list] = [element("p"), element("ul")];
      const found = apart.filter(wanted);
      title.append(element("b", "", `${text}: ${found.length}`));
      list.append(...found.map(item));
      return [title, list];
    }));
  };
  root.querySelector(".course-tools").append(...["one model: ", "another: "].map((text, which) => {
    const [label, menu] = [element("label", "", text), element("select")];
    menu.append(...names.map((name, place) => new Option(name, place, false, place === chosen[which])));
    menu.addEventListener("change", () => {
      chosen[which] = Number(menu.value);
      draw();
    });
    label.append(menu);
    return label;
  }));
  draw();
});
