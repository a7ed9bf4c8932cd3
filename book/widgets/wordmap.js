// Type a word or click a dot: it and its neighbors get their names. Without this one word has them.
widgets("wordmap", (root, { words, nearest }) => {
  const svg = root.querySelector("svg");
  const field = root.querySelector("input");
  const names = root.querySelector(".course-names");
  const dots = [...svg.querySelectorAll(":scope > circle")];
  const says = root.querySelector("[role=status]");
  const at = dots.map((dot) => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]);
  root.querySelector("datalist").append(...words.map((word) => new Option(word)));

  // names stand beside their dots, and under one another where these are close
  const show = (k) => {
    const gap = window.matchMedia("(max-width: 36rem)").matches ? 21 : 16;
    const parts = [...nearest[k], k].map((n) => ({ n, x: at[n][0], y: at[n][1], to: at[n][1] }));
    parts.sort((one, other) => one.y - other.y);
    parts.forEach((part, i) => { if (i) part.to = Math.max(part.y, parts[i - 1].to + gap); });
    const over = Math.max(0, parts.at(-1).to - 430);
    names.replaceChildren();
    for (const { n, x, y, to } of parts) {
      const here = n === k ? { class: "course-here" } : {};
      const end = x > 470;
      const far = to - over - y;
      if (Math.abs(far) > 3) drawn(names, "path", { d: `M${x} ${y}l${end ? -9 : 9} ${far}` });
      drawn(names, "circle", { cx: x, cy: y, r: n === k ? 5 : 4, ...here });
      drawn(names, "text", { x: x + (end ? -11 : 11), y: to - over + 5, "text-anchor": end ? "end" : "start", ...here })
        .textContent = words[n];
    }
    says.textContent = `Nearest to ${words[k]}: ${nearest[k].map((other) => words[other]).join(", ")}.`;
  };
  const find = () => {
    const typed = field.value.trim().toLowerCase();
    const k = words.indexOf(typed);
    if (k >= 0) return show(k);
    const begin = words.filter((word) => typed && word.startsWith(typed)).slice(0, 8);
    says.textContent = begin.length ? `Words that begin like this: ${begin.join(", ")}` : "This word is not on the map.";
    return names.replaceChildren();
  };
  field.addEventListener("input", find);
  root.querySelector("button").addEventListener("click", () => {
    field.value = words[Math.floor(Math.random() * words.length)];
    find();
  });
  svg.addEventListener("click", (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const far = at.map(([a, b]) => Math.hypot(a - x, b - y));
    const k = far.indexOf(Math.min(...far));
    field.value = words[k];
    show(k);
  });
  root.querySelector("[hidden]").removeAttribute("hidden");
  find();
});
