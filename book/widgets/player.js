// Play, back, step, reset, and a slider over a number of steps; among them the arrow keys step, and Space plays. Nothing
// starts by itself. It stops at the end, off the screen, and when a reader does something else in the widget; readers
// who prefer reduced motion get the steps without Play.
const player = (root, { go, every = 700, name = "step", first = 0 }) => {
  let [at, last, timer] = [0, 0, 0];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const bar = element("div", "course-tools course-player");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Animation");
  const [slide, count] = [element("input"), element("output")];
  Object.assign(slide, { type: "range", min: 0, step: 1, ariaLabel: name });

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    tell();
  };
  const seek = (to) => {
    at = within(to, last + 1);
    tell();
    go(at);
  };
  const play = () => {
    if (timer) return stop();
    if (calm.matches) return;
    timer = setInterval(() => (at < last ? seek(at + 1) : stop()), typeof every === "function" ? every() : every);
    seek(at < last ? at + 1 : 0);
  };
  const by = (steps) => {
    stop();
    seek(at + steps);
  };
  const [main, back, next, reset] = [button("", play), button("◂", () => by(-1)), button("▸", () => by(1)), button("↺", () => by(-last))];
  [main.className, back.ariaLabel, next.ariaLabel, reset.ariaLabel] = ["course-play", `Previous ${name}`, `Next ${name}`, "Reset"];
  const tell = () => {
    main.textContent = timer ? "❚❚ Pause" : "▶ Play";
    root.toggleAttribute("data-playing", timer > 0);
    root.querySelector("[role=status]")?.setAttribute("aria-live", timer ? "off" : "polite");
    const [now, all] = [at + first, last + first];
    Object.assign(slide, { max: last, value: at, ariaValueText: `${name} ${now} of ${all}` });
    count.textContent = `${now} / ${all}`;
    for (const one of [back, reset]) one.setAttribute("aria-disabled", at === 0);
    next.setAttribute("aria-disabled", at === last);
  };
  slide.addEventListener("input", () => by(slide.value - at));
  bar.addEventListener("keydown", (event) => {
    const move = { Home: -last, End: last }[event.key] ?? ARROWS[event.key]?.[1] ?? 0;
    if (move) by(move);
    else if (event.key === " " && event.target === slide) play();
    else return;
    event.preventDefault();
  });
  for (const kind of ["pointerdown", "keydown"]) {
    root.addEventListener(kind, (event) => timer && !bar.contains(event.target) && stop());
  }
  new IntersectionObserver(([{ isIntersecting }]) => isIntersecting || !timer || stop()).observe(root);
  document.addEventListener("visibilitychange", () => timer && stop());
  const calmed = () => {
    stop();
    main.hidden = calm.matches;
  };
  calm.addEventListener("change", calmed);
  bar.append(main, back, next, reset, slide, count);
  calmed();
  // `mark` says where the widget is now; `seek` goes to a step.
  const mark = (to, steps = last) => {
    [at, last] = [to, steps];
    tell();
  };
  return { bar, mark, seek, playing: () => timer > 0 };
};
