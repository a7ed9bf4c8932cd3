// Draw with a finger or the mouse, or move the points with the arrow keys; then compare.
widgets("sketch", (root, { x, truth, range: [low, high], box: [left, right, top, bottom], names }) => {
  const svg = root.querySelector("svg");
  const shown = svg.getAttribute("aria-label");
  svg.setAttribute("aria-label", `Empty axes: ${names[1]} against ${names[0]}`);
  const mine = drawn(svg, "path", { class: "course-mine" });
  const last = x.length - 1;
  const across = (k) => left + ((right - left) * k) / last;
  const up = (value) => bottom - ((bottom - top) * (value - low)) / (high - low);
  const values = x.map(() => (low + high) / 2);
  const dots = x.map((_, k) => drawn(svg, "circle", { cx: across(k), r: 4 }));
  const says = sentence();

  // the points for keys and screen readers: sliders that are not seen
  const handles = element("div", "course-handles");
  const sliders = x.map((place, k) => {
    const slider = element("input");
    Object.assign(slider, { type: "range", min: 0, max: 40, step: 1, ariaLabel: `${names[1]} at ${minus(place)}` });
    slider.addEventListener("input", () => set(k, low + ((high - low) * slider.value) / 40));
    slider.addEventListener("focus", () => dots[k].setAttribute("data-on", ""));
    slider.addEventListener("blur", () => dots[k].removeAttribute("data-on"));
    handles.append(slider);
    return slider;
  });
  const draw = () => {
    mine.setAttribute("d", `M${values.map((value, k) => `${across(k)} ${up(value).toFixed(1)}`).join("L")}`);
    dots.forEach((dot, k) => dot.setAttribute("cy", up(values[k])));
    sliders.forEach((slider, k) => {
      slider.value = Math.round((40 * (values[k] - low)) / (high - low));
      slider.setAttribute("aria-valuetext", minus(Number(values[k].toPrecision(2))));
    });
  };
  const set = (k, value) => {
    values[k] = Math.min(Math.max(value, low), high);
    draw();
  };

  // a stroke sets all points that it passes
  let before = null;
  const place = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [(last * (point.x - left)) / (right - left), low + ((high - low) * (bottom - point.y)) / (bottom - top)];
  };
  const stroke = (event) => {
    const [to, value] = place(event);
    const [from, old] = before ?? [to, value];
    const near = within(Math.round(to), x.length);
    for (let k = 0; k <= last; k += 1) {
      const passed = (k - from) * (k - to) <= 0 && from !== to;
      if (passed) set(k, old + ((value - old) * (k - from)) / (to - from));
      else if (k === near && Math.abs(to - k) < 0.5) set(k, value);
    }
    before = [to, value];
  };
  svg.addEventListener("pointerdown", (event) => {
    if (root.hasAttribute("data-shown")) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    stroke(event);
  });
  svg.addEventListener("pointermove", (event) => { if (before) stroke(event); });
  for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { before = null; });

  const show = button("Compare with the run", () => {
    const again = root.toggleAttribute("data-shown");
    show.textContent = again ? "Draw again" : "Compare with the run";
    svg.setAttribute("aria-label", again ? shown : `Empty axes: ${names[1]} against ${names[0]}`);
    const gaps = values.map((value, k) => Math.abs(value - truth[k]));
    const most = gaps.indexOf(Math.max(...gaps));
    const far = (value) => minus(Number(value.toPrecision(2)));
    says.textContent = again
      ? `The blue curve is the result. You were farthest off at ${far(x[most])}: `
        + `you drew ${far(values[most])}, and it is ${far(truth[most])}.`
      : "";
    sliders.forEach((slider) => { slider.disabled = again; });
  });
  const tools = element("div", "course-tools");
  tools.append(show, element("span", "course-hint", "Draw the curve that you expect, or move its points with Tab and the arrow keys."));
  root.append(handles, tools, says);
  draw();
});
