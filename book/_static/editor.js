// An editor on each exercise, where a server checks what is written: `grade serve` names itself in the head
// of the pages that it serves, and `course_server` in _config.yml names one for a site on static hosting.
// Elsewhere, and from a file, nothing changes and nothing is asked for. The editor itself is loaded when a
// reader first opens one. What is written stays in this browser, by chapter.
(() => {
  const SCRIPT = document.currentScript.src;
  const LARGEST = 256 * 1024; // bytes that the server takes

  const memory = {}; // for windows that keep nothing
  const read = (key) => {
    try {
      return JSON.parse(localStorage.getItem(key)) ?? {};
    } catch {
      return memory[key] ?? {};
    }
  };
  const write = (key, value) => {
    memory[key] = value;
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {} // then it lasts as long as the page
  };
  const make = (tag, name, text = "") => {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text;
    return element;
  };
  const button = (text, act) => {
    const made = make("button", "", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };

  const loaded = {}; // once, but for what failed
  const once = (key, load) => (loaded[key] ??= load().catch((error) => {
    delete loaded[key];
    throw error;
  }));
  const codemirror = () => once("editor", () => import(new URL("codemirror/codemirror.min.js", SCRIPT)));
  const skeleton = (slug) => once(slug, async () => {
    const answer = await fetch(new URL(`exercises/${slug}.json`, SCRIPT));
    if (!answer.ok) throw new Error(answer.statusText);
    return (await answer.json()).pieces; // symbol, or null between exercises, and text
  });

  // A chapter's answers by symbol, and the module that they make.
  const answers = (slug) => read(`course-code:${slug}`);
  const keep = (slug, symbol, text, blank) => {
    const { [symbol]: _, ...others } = answers(slug);
    write(`course-code:${slug}`, text === blank ? others : { ...others, [symbol]: text });
  };
  const texts = (slug, pieces) => {
    const own = answers(slug);
    return pieces.map(([symbol, text]) => (symbol ? own[symbol] ?? text : text));
  };

  // Cut a module into answers: what stands before an exercise goes with it, but for what the skeleton has there.
  const cut = (text, pieces, statements) => {
    const known = new Set(pieces.flatMap(([symbol, piece]) => (symbol ? [] : statements(piece).map(({ from, to }) => piece.slice(from, to)))));
    const asked = new Set(pieces.map(([symbol]) => symbol).filter(Boolean));
    const found = {};
    let last = null;
    let start = null; // of what goes with the next exercise
    let end = 0;
    for (const { from, to, name } of statements(text)) {
      if (start === null && !known.has(text.slice(from, to))) start = from;
      end = to;
      if (asked.has(name)) {
        found[name] = (name in found ? `${found[name]}\n\n\n` : "") + text.slice(start ?? from, to);
        last = name;
      }
      if (asked.has(name) || known.has(text.slice(from, to))) start = null;
    }
    if (last && start !== null) found[last] += `\n\n\n${text.slice(start, end)}`;
    return found;
  };

  // How many exercises of a chapter have passed, in the navigation.
  const note = (slug, symbol, passed, total) => {
    const { [symbol]: _, ...others } = read(`course-done:${slug}`).passed ?? {};
    write(`course-done:${slug}`, { total, passed: passed ? { ...others, [symbol]: true } : others });
  };
  const count = () => document.querySelectorAll(".bd-links a.internal").forEach((link) => {
    const slug = new URL(link.href, location).pathname.match(/(\w+)\.html$/)?.[1];
    const { passed, total } = read(`course-done:${slug}`);
    link.querySelector(".course-count")?.remove();
    if (!passed || !total) return;
    const shown = make("span", "course-count");
    shown.append(make("span", "visually-hidden", "Exercises passed:"), ` ${Object.keys(passed).length}/${total}`);
    link.append(" ", shown);
  });

  const begin = (server, cards) => {
    const views = {}; // open editors by exercise

    const open = async (card, opener, said) => {
      const { slug, symbol, id } = card;
      said.textContent = "Loading the editor…";
      let pieces, cm;
      try {
        [pieces, cm] = await Promise.all([skeleton(slug), codemirror()]);
      } catch {
        said.textContent = "The editor could not be loaded: try again.";
        return;
      }
      const at = pieces.findIndex(([name]) => name === symbol);
      const blank = pieces[at]?.[1] ?? "";
      const box = make("div", "course-code highlight");
      box.addEventListener("keydown", (event) => event.stopPropagation()); // Sphinx has "/" find the search
      const report = make("div", "course-report");
      report.hidden = true;
      const help = make("p", "course-keys", "Tab indents; Escape, then Tab leaves the editor. Ctrl or ⌘ with Enter checks.");
      help.id = `keys-${id}`;

      let busy = false;
      const check = async () => {
        if (busy) return;
        busy = true;
        said.textContent = "Checking your answer…";
        checker.setAttribute("aria-disabled", "true");
        try {
          const answer = await fetch(new URL("check", server), {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ exercise: id, code: texts(slug, pieces) }),
          });
          const told = await answer.json();
          if (!answer.ok) throw Object.assign(new Error(), { said: told.error });
          report.innerHTML = told.html;
          report.hidden = false;
          said.textContent = "Points: … of …".replace("…", told.earned).replace("…", told.points);
          note(slug, symbol, told.verdict === "passed", pieces.filter(([name]) => name).length);
          count();
          mark(card);
        } catch (error) {
          said.textContent = error.said ?? "The server does not answer. What you wrote is kept in this browser.";
        }
        checker.removeAttribute("aria-disabled");
        busy = false;
      };
      // by its name it is undone alone, however soon after a key it comes
      const replace = (view, text) =>
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: "replace" });
      const reset = () => {
        replace(views[id], blank);
        said.textContent = "Reset: undo brings your text back.";
      };
      const save = () => {
        const link = make("a", "");
        link.href = URL.createObjectURL(new Blob([`${texts(slug, pieces).join("\n\n\n")}\n`], { type: "text/x-python" }));
        link.download = `${slug}.py`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href));
      };
      const load = async ({ target }) => {
        const [file] = target.files;
        target.value = "";
        if (!file) return;
        if (file.size > LARGEST) {
          said.textContent = "The file is too large.";
          return;
        }
        const found = cut((await file.text()).replaceAll(/\r\n?/g, "\n"), pieces, cm.statements);
        for (const [name, text] of pieces) {
          if (!(name in found)) continue;
          keep(slug, name, found[name], text);
          const view = views[`${slug}.${name}`];
          if (view) replace(view, found[name]);
        }
        const own = answers(slug);
        const names = Object.keys(found).filter((name) => name in own).join(", ");
        said.textContent = Object.keys(found).length ? "Opened: …".replace("…", names) : "The file has none of this chapter's exercises.";
      };

      const file = make("input", "");
      file.type = "file";
      file.accept = ".py";
      file.hidden = true;
      file.addEventListener("change", load);
      const tools = make("div", "course-tools");
      const checker = button("Check", check);
      tools.append(checker, button("Reset", reset), button("Save as file", save), button("Open file", () => file.click()), file);
      const given = pieces.slice(0, at).filter(([name]) => !name).map(([, text]) => text).join("\n\n\n");
      const above = make("details", "course-hint");
      const code = make("div", "highlight");
      code.append(make("pre", "", given));
      above.append(make("summary", "", "What the module already has"), code);
      opener.replaceWith(...(given ? [above] : []), box, help, tools);
      said.after(report);
      said.textContent = "";
      views[id] = cm.edit(box, {
        text: answers(slug)[symbol] ?? blank,
        label: "Your answer: …".replace("…", id),
        describedby: help.id,
        changed: (text) => keep(slug, symbol, text, blank),
        check,
      });
      views[id].focus();
    };

    const mark = ({ slug, symbol, points }) => {
      points.querySelector(".course-passed")?.remove();
      if (!read(`course-done:${slug}`).passed?.[symbol]) return;
      const passed = make("span", "course-passed", "Passed");
      passed.prepend(" · ✓ ");
      points.append(passed);
    };

    cards.forEach((card) => {
      const said = make("p", "course-state");
      said.setAttribute("role", "status");
      const begun = answers(card.slug)[card.symbol] !== undefined;
      const opener = button(begun ? "Continue your answer" : "Write it here", () => open(card, opener, said));
      opener.className = "course-asked";
      const editor = make("div", "course-editor");
      editor.append(opener, said);
      card.command.after(editor);
      mark(card);
    });
    count();
  };

  document.addEventListener("DOMContentLoaded", () => {
    const named = document.querySelector('meta[name="course-server"]')?.content;
    if (!named || !location.protocol.startsWith("http")) return;
    const cards = [...document.querySelectorAll(".bd-article .exercise.admonition")].flatMap((box) => {
      const points = box.querySelector(".course-points");
      const command = box.querySelector(".course-command");
      if (!points || !command) return []; // not recorded yet
      const id = points.querySelector("code").textContent;
      const [slug, symbol] = id.split(".");
      return [{ id, slug, symbol, points, command }];
    });
    begin(new URL(named.replace(/\/?$/, "/"), location), cards);
  });
})();
