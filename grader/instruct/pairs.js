// Each text begins at its first marked line; a marked line shows where the other text has the same.
for (const sides of document.querySelectorAll(".sides")) {
  const [left, right] = sides.children;
  for (const box of sides.querySelectorAll("pre")) {
    const first = box.querySelector("button.line");
    if (first) box.scrollTop = first.offsetTop - 60;
  }
  sides.addEventListener("click", (event) => {
    const line = event.target.closest("button.line");
    if (!line) return;
    const other = left.contains(line) ? right : left;
    const twin = other.querySelector(`[data-f~="${line.dataset.f.split(" ")[0]}"]`);
    if (!twin) return;
    const box = twin.closest("pre");
    box.scrollTop += twin.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
    for (const one of sides.querySelectorAll(".met")) one.classList.remove("met");
    for (const one of [line, twin]) one.classList.add("met");
    twin.focus({ preventScroll: true });
  });
}
