// Between numbers and places on axes that `book.widgets.sketch.frame` has drawn.
const onAxes = ({ box: [left, right, top, bottom], x: [x0, x1], y: [y0, y1] }) => ({
  place: ([x, y]) => [left + ((right - left) * (x - x0)) / (x1 - x0), bottom - ((bottom - top) * (y - y0)) / (y1 - y0)],
  value: ([across, down]) => [x0 + ((x1 - x0) * (across - left)) / (right - left), y0 + ((y1 - y0) * (bottom - down)) / (bottom - top)],
});
// What the lines of a drawing mean: words and colors.
const legend = (entries) => {
  const made = element("p", "course-legend");
  for (const [words, color] of Object.entries(entries)) {
    const one = element("span", "", words);
    one.style.setProperty("--own", color);
    made.append(one);
  }
  return made;
};
const lineOf = (points) => `M${points.map((point) => point.map((part) => part.toFixed(1)).join(" ")).join("L")}`;

// A drawing over which a pointer is dragged: `act` gets each place, in the drawing's units, and whether it is the first.
const dragOver = (svg, act) => {
  let held = false;
  const go = (event, first) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    act([x, y], first);
  };
  svg.classList.add("course-drag");
  svg.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    held = true;
    go(event, true);
  });
  svg.addEventListener("pointermove", (event) => { if (held) go(event, false); });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { held = false; });
};
