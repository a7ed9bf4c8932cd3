// Choose a picture; see what each model says, and which chance it gives each digit.
widgets("verdict", (root, { labels, models }) => {
  const [thumbs, large, says] = [".course-thumbs", ".course-large", "[role=status]"]
    .map((part) => root.querySelector(part));
  const digits = root.querySelectorAll("thead th");
  const rows = [...root.querySelectorAll("tbody tr")];

  const choose = (at) => {
    const label = labels[at];
    pictures.forEach((one, place) => {
      one.setAttribute("aria-checked", place === at);
      one.tabIndex = place === at ? 0 : -1;
    });
    large.style.setProperty("--at", share(at));
    digits.forEach((head, digit) => head.toggleAttribute("data-true", digit === label));
    rows.forEach((row, k) => {
      const said = models[k].said[at];
      [...row.querySelectorAll("td")].forEach((cell, digit) => {
        const chance = models[k].chances?.[10 * at + digit] ?? 0;
        cell.style.setProperty("--w", chance / 100);
        cell.textContent = chance || (digit === said ? "·" : "");
        cell.toggleAttribute("data-said", digit === said && said === label);
        cell.toggleAttribute("data-wrong", digit === said && said !== label);
      });
    });
    const wrong = models.filter(({ said }) => said[at] !== label);
    const sure = wrong.filter(({ chances }) => chances)
      .map(({ name, said, chances }) => ({ name, digit: said[at], chance: chances[10 * at + said[at]] }));
    says.textContent = `This is ${label === 8 ? "an" : "a"} ${label}: ${models.length - wrong.length} of ${models.length} models recognize it.`;
    if (sure.length) {
      const most = sure.reduce((best, one) => (one.chance > best.chance ? one : best));
      says.textContent += ` The most confident mistake is ${most.name}’s: ${most.chance}% for ${most.digit}.`;
    }
  };

  const share = (place) => place / Math.max(labels.length - 1, 1);
  const pictures = labels.map((label, place) => {
    const one = button("", () => choose(place));
    one.setAttribute("role", "radio");
    one.setAttribute("aria-label", `picture ${place + 1}, a ${label}`);
    one.style.setProperty("--at", share(place));
    return one;
  });
  thumbs.setAttribute("role", "radiogroup");
  thumbs.setAttribute("aria-label", "picture");
  thumbs.replaceChildren(...pictures);
  thumbs.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    const below = pictures.findIndex((one) => one.offsetTop > pictures[0].offsetTop);
    const inRow = below < 0 ? pictures.length : below;
    const to = within(pictures.indexOf(event.target) + by[0] * inRow + by[1], pictures.length);
    choose(to);
    pictures[to].focus();
  });
  choose(0);
});
