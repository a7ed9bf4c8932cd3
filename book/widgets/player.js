// Play, back, step, many steps where they are many, reset, and a slider where their number is known; among them the arrow
// keys step, and Space on the slider plays. `go` shows a step. Nothing starts by itself. It stops at the end, off the
// screen, and when a reader does something else in the widget, unless it is `steady`; readers who prefer reduced motion
// get the steps without Play.
const player = (root, { go, action = "Play", every = 700, name = "step", first = 0, many = 0, steady = false }) => {
  let [at, last, playing, frame, then] = [0, 0, false, 0, 0];
  const now = (value) => (typeof value === "function" ? value() : value); // some change with what is played
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const bar = element("div", "course-tools course-film");
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Animation");
  const [slide, count] = [element("input"), element("output")];
  Object.assign(slide, { type: "range", min: 0, step: 1, ariaLabel: name });
  count.setAttribute("aria-live", "off"); // the slider says where it is

  const stop = () => {
    playing = false;
    cancelAnimationFrame(frame);
    tell();
  };
  // `go` may come less far, and then says how far.
  const seek = (to) => {
    at = within(to, last + 1);
    tell();
    at = go(at, playing) ?? at;
    tell();
  };
  const turn = (time) => {
    const [pace, before] = [now(every), at];
    const due = Math.min(Math.floor((time - then) / pace), Math.ceil(34 / pace)); // a late frame makes no leap
    if (due > 0) {
      then = time;
      const to = Math.min(at + due, last);
      playing = to < last; // what it says at the end is read out
      seek(to);
      if (at === before) return stop();
    }
    if (playing) frame = requestAnimationFrame(turn);
  };
  const play = () => {
    if (playing) return stop();
    if (calm.matches) return;
    [playing, then] = [true, performance.now()];
    seek(at < last ? at + 1 : 0);
    frame = requestAnimationFrame(turn);
  };
  const by = (steps) => {
    stop();
    seek(at + steps);
  };
  const made = (text, label, steps) => Object.assign(button(text, () => by(steps())), { ariaLabel: label });
  const main = Object.assign(button("", play), { className: "course-play" });
  const [back, next, reset] = [made("◂", `Previous ${name}`, () => -1), made("▸", `Next ${name}`, () => 1), made("↺", "Reset", () => -at)];
  const tell = () => {
    main.textContent = playing ? "❚❚ Pause" : `▶ ${action}`;
    root.toggleAttribute("data-playing", playing);
    root.querySelector("[role=status]")?.setAttribute("aria-live", playing ? "off" : "polite");
    const [shown, all] = [at + now(first), last + now(first)];
    slide.hidden = last === Infinity;
    if (!slide.hidden) Object.assign(slide, { max: last, value: at, ariaValueText: `${name} ${shown} of ${all}` });
    count.textContent = slide.hidden ? shown.toLocaleString("en") : `${shown} / ${all}`;
    for (const one of [back, reset]) one.setAttribute("aria-disabled", at === 0);
    next.setAttribute("aria-disabled", at === last);
  };
  slide.addEventListener("input", () => by(slide.value - at));
  bar.addEventListener("keydown", (event) => {
    const move = { Home: -at, End: last < Infinity ? last - at : 0 }[event.key] ?? ARROWS[event.key]?.[1] ?? 0;
    if (move) by(move);
    else if (event.key === " " && event.target === slide) play();
    else return;
    event.preventDefault();
  });
  for (const kind of steady ? [] : ["pointerdown", "keydown"]) {
    root.addEventListener(kind, (event) => playing && !bar.contains(event.target) && stop());
  }
  new IntersectionObserver(([{ isIntersecting }]) => isIntersecting || !playing || stop()).observe(root);
  document.addEventListener("visibilitychange", () => playing && stop());
  const calmed = () => {
    stop();
    main.hidden = calm.matches;
  };
  calm.addEventListener("change", calmed);
  bar.append(main, back, next, ...(many ? [made(`${many} steps`, null, () => many)] : []), reset, slide, count);
  calmed();
  // `mark` says where the widget is now; `seek` goes to a step.
  const mark = (to, steps = last) => {
    [at, last] = [to, steps];
    tell();
  };
  return { bar, mark, seek, stop, playing: () => playing };
};

// A player of what can only be computed forward, one `step` after another. What came earlier is computed again from a
// state that `save` returned and `load` takes, with the settings of then. `show` draws, and is told whether it plays.
const stepwise = (root, { restart, step, save, load, show, setting = () => null, last = Infinity, ...more }) => {
  let [count, kept, settings] = [0, [], []];
  const keep = () => {
    kept.push({ count, state: save() });
    if (kept.length > 80) kept = kept.filter((_, k) => k % 2 === 0); // the start stays
  };
  const go = (to, playing) => {
    if (to < count) {
      kept = kept.filter((one) => one.count <= to);
      count = kept.at(-1).count;
      load(kept.at(-1).state, count);
    }
    const late = performance.now() + 8; // of the 16 milliseconds that a frame has
    while (count < to && step((settings[count] ??= setting()))) {
      count += 1;
      if (count % 20 === 0) keep();
      if (playing && performance.now() > late) break;
    }
    settings.length = count;
    show(playing, count);
    return count;
  };
  const run = player(root, { go, steady: true, ...more });
  const again = () => {
    run.stop();
    restart();
    [count, kept, settings] = [0, [], []];
    keep();
    show(false, 0);
    run.mark(0, last);
  };
  return { ...run, again };
};
