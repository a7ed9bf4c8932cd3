// Two steps for each pass of the target: the draft proposes, the target decides.
widgets("race", (root, { text, passes }) => {
  const [plain, lane] = root.querySelectorAll(".course-lane i");
  const says = root.querySelector("[role=status]");
  const seen = (part) => part.replaceAll("\n", "⏎");
  const part = (name, content, fresh = false) => {
    const made = element(name, "", seen(content));
    made.toggleAttribute("data-fresh", fresh);
    return made;
  };
  const many = (count, one, more = "s") => `${count} ${one}${count === 1 ? "" : more}`;

  const draw = (step) => {
    const done = Math.floor(step / 2);
    let at = 0;
    const parts = passes.slice(0, done).flatMap(([proposed, kept], k) => {
      const fresh = k === done - 1 && step % 2 === 0;
      const of = [
        kept && part("mark", proposed.slice(0, kept), fresh),
        part("u", text.slice(at + kept, at + kept + 1), fresh),
        fresh && kept < proposed.length && part("s", proposed.slice(kept), true),
      ].filter(Boolean);
      at += kept + 1;
      return of;
    });
    if (step % 2 && step < last) parts.push(part("q", passes[done][0], true));
    lane.replaceChildren(...parts);
    const most = step === last ? text.length : done;
    plain.textContent = seen(text.slice(0, most));
    film.mark(step, last);
    if (step === last) {
      says.textContent = `${text.length} characters: ${passes.length} passes of the target with speculation, ${text.length} without.`;
    } else if (step % 2) {
      says.textContent = `Pass ${done + 1}: the draft proposes “${seen(passes[done][0])}”.`;
    } else {
      const [proposed, kept] = passes[done - 1] ?? ["", 0];
      const found = done ? `Pass ${done}: the target accepts ${kept ? `“${seen(proposed.slice(0, kept))}”` : "nothing"} and writes `
        + `“${seen(text.slice(at - 1, at))}”. ` : "";
      says.textContent = `${found}After ${many(done, "pass", "es")}: ${many(at, "character")} with speculation, ${done} without.`;
    }
  };
  const last = 2 * passes.length + 1; // at the end plain decoding has its text, too
  const film = player(root, { name: "step", every: 650, go: draw });
  root.querySelector(".course-lane").before(film.bar);
  draw(last);
});
