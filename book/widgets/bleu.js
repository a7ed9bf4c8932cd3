// Choose a sentence, compare the translations, edit one: BLEU is counted again with every letter, run by run.
widgets("bleu", (root, { sentences, written }) => {
  const LONGEST = 4;
  const names = Object.keys(written);
  const rows = [...root.querySelectorAll("tbody tr")];
  const says = root.querySelector("[role=status]");
  const [source, target] = [".course-german span", ".course-english span"].map((name) => root.querySelector(name));
  let [at, own, n] = [0, "", 1];

  // as book/widgets/bleu.py cuts a text: \w of Python
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+(?:['.-][\p{L}\p{N}_]+)*|[^\p{L}\p{N}_\s]/gu) ?? [];
  const runs = (all, size) => all.slice(0, Math.max(0, all.length - size + 1)).map((_, k) => all.slice(k, k + size).join(" "));
  // Which runs are matched, each at most as often as in the reference: the first ones.
  const matches = (mine, reference, size) => {
    const left = new Map();
    for (const run of runs(reference, size)) left.set(run, (left.get(run) ?? 0) + 1);
    return runs(mine, size).map((run) => {
      const found = left.get(run) ?? 0;
      left.set(run, found - 1);
      return found > 0;
    });
  };
  const bleu = (text, reference) => {
    const [mine, theirs] = [words(text), words(reference)];
    let [logs, halves] = [0, 1];
    const counts = [];
    for (let size = 1; size <= LONGEST; size += 1) {
      const found = matches(mine, theirs, size);
      let matched = found.filter(Boolean).length;
      counts.push([matched, found.length]);
      if (!matched && size > 1) matched = 1 / (halves *= 2);
      logs += found.length ? Math.log(matched / found.length) / LONGEST : -Infinity; // ln 0 is −∞
    }
    const penalty = !mine.length ? 0 : Math.min(1, Math.exp(1 - theirs.length / mine.length));
    return { mine, theirs, counts, penalty, score: 100 * penalty * Math.exp(logs) };
  };

  // The words of a text, those that lie in a matched run marked.
  const marked = (place, text) => {
    const [mine, theirs] = [words(text), words(sentences[at][1])];
    const inside = new Set();
    matches(mine, theirs, n).forEach((found, k) => { for (let j = 0; found && j < n; j += 1) inside.add(k + j); });
    place.replaceChildren(...mine.flatMap((word, k) => [element(inside.has(k) ? "mark" : "span", "", word), " "]));
  };

  const box = element("textarea");
  Object.assign(box, { rows: 2, spellcheck: false, ariaLabel: "Your translation" });
  const output = element("p", "course-marked");
  const table = element("table", "course-counts");
  const count = () => {
    const { counts, penalty, score, mine, theirs } = bleu(own, sentences[at][1]);
    marked(output, own);
    const row = (...cells) => {
      const line = element("tr");
      line.append(...cells.map((text, k) => (k ? element("td", "", text) : Object.assign(element("th", "", text), { scope: "row" }))));
      return line;
    };
    table.replaceChildren(
      ...counts.map(([matched, total], k) => row(`runs of ${k + 1}`, `${matched} of ${total}`)),
      row("brevity penalty", `${penalty.toFixed(3)} (${mine.length} and ${theirs.length} words)`),
    );
    says.textContent = `Edited: BLEU ${score.toFixed(1)}.`;
  };
  const draw = () => {
    const [german, english] = sentences[at];
    source.textContent = german;
    target.textContent = english;
    const scores = names.map((name) => bleu(written[name][at], english).score);
    rows.forEach((row, k) => {
      marked(row.cells[1].firstElementChild, written[names[k]][at]);
      row.cells[2].textContent = scores[k].toFixed(1);
      row.cells[2].style.setProperty("--share", (scores[k] / 100).toFixed(3));
    });
    if (own) return count();
    const best = scores.indexOf(Math.max(...scores));
    says.textContent = `${names[best]} has the highest BLEU for this sentence, ${scores[best].toFixed(1)}.`;
  };

  rows.forEach((row, k) => {
    const edit = button(names[k], () => {
      box.value = own = written[names[k]][at];
      draw();
    });
    edit.ariaLabel = `edit the translation of ${names[k]}`;
    row.cells[0].replaceChildren(edit);
  });
  box.addEventListener("input", () => {
    own = box.value;
    if (own) count();
    else draw();
  });
  const pick = element("select");
  pick.append(...sentences.map(([german], k) => Object.assign(element("option", "", german), { value: k, lang: "de" })));
  pick.addEventListener("change", () => {
    [at, own, box.value] = [Number(pick.value), "", ""];
    table.replaceChildren();
    output.replaceChildren();
    draw();
  });
  const label = element("label", "course-pick", "sentence ");
  label.append(pick);
  const length = chooser("mark runs of ", [1, 2, 3, 4], (size) => {
    n = size;
    draw();
  });
  const tools = element("div", "course-tools");
  tools.append(label, length.group);
  const mine = element("label", "course-own", "Your translation, or one from the table to edit: choose its name.");
  root.prepend(tools);
  says.before(mine, box, output, table);
  length.press(1);
});
