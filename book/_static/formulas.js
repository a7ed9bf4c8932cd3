// KaTeX sets the formulas: the first ones at once, then those that a reader comes near to, the others
// while nothing else is to be done. Without scripts their TeX stands.
(() => {
  const set = (tex, displayMode) => {
    const made = document.createElement("span");
    katex.render(tex, made, { displayMode, throwOnError: false });
    return made.firstChild;
  };

  // Where a formula of several parts does not fit into a line, each part goes to a line of its own. Parts
  // are what \qquad separates outside of braces and environments.
  const parts = (tex) => {
    const whole = tex.replace(/^\\begin\{split\}([^]*)\\end\{split\}$/, (all, inner) => (rows(inner) ? all : inner));
    const found = [""];
    for (const [piece, depth] of pieces(whole)) {
      if (!depth && /^\\qquad$/.test(piece)) found.push("");
      else found[found.length - 1] += piece;
    }
    return found.filter((part) => part.trim());
  };
  const rows = (tex) => pieces(tex).some(([piece, depth]) => !depth && (piece === "\\\\" || piece === "&"));
  const pieces = (tex) => { // with how deep each stands
    let depth = 0;
    return (tex.match(/\\(begin|end)\{\w+\*?\}|\\[a-zA-Z]+|\\?[^]/g) ?? []).map((piece) => {
      const found = [piece, depth];
      if (/^(\{|\\begin.*|\\left)$/.test(piece)) depth += 1;
      if (/^(\}|\\end.*|\\right)$/.test(piece)) depth -= 1;
      return found;
    });
  };

  const formula = (box) => {
    const texts = [...box.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE);
    const text = texts.map((part) => part.data).join("").trim();
    const tex = text.replace(/^\\[[(]|\\[\])]$/g, "").replace(/\{(align|gather)\}/g, "{$1*}"); // no second number
    texts.forEach((part) => part.remove());
    if (!box.matches("div")) return box.append(set(tex, false));
    const made = parts(tex.trim()).map((part) => set(part, true));
    if (made.length === 1) return box.append(...made);
    const line = document.createElement("div");
    line.className = "course-parts";
    line.append(...made);
    return box.append(line);
  };
  const within = (box) => { // a table or a caption, with formulas in its text
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walk.nextNode()) texts.push(walk.currentNode);
    for (const text of texts) {
      const parts = text.data.split(/\\\((.+?)\\\)/s);
      if (parts.length > 1) text.replaceWith(...parts.map((part, k) => (k % 2 ? set(part, false) : part)));
    }
  };

  const state = document.documentElement.dataset; // formulas: "near", then "set"
  const near = new Set();
  const far = new Set(document.querySelectorAll(".math, .tex2jax_process"));
  const some = (boxes, most) => {
    const end = performance.now() + most;
    for (const box of boxes) {
      if (performance.now() > end) return;
      watch.unobserve(box);
      near.delete(box);
      far.delete(box);
      (box.matches(".math") ? formula : within)(box);
    }
  };
  const turn = (most) => {
    some(near, most);
    if (near.size) return setTimeout(turn, 0, 40);
    state.formulas ??= "near";
  };
  const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 0, { timeRemaining: () => 40 }));
  const rest = (deadline) => {
    if (!near.size) some(far, Math.max(10, deadline.timeRemaining()));
    if (far.size) return idle(rest, { timeout: 500 });
    state.formulas = "set";
    return window.dispatchEvent(new Event("resize")); // what measures itself can do so now
  };
  const watch = new IntersectionObserver((seen) => {
    seen.filter((one) => one.isIntersecting && far.has(one.target)).forEach((one) => near.add(one.target));
    turn(40);
  }, { rootMargin: "100% 0px" });

  for (const font of ["1em KaTeX_Main", "italic 1em KaTeX_Math"]) document.fonts.load(font);
  some(far, 150);
  far.forEach((box) => watch.observe(box));
  if (!far.size) state.formulas = "near";
  idle(rest, { timeout: 2000 });
  window.addEventListener("beforeprint", () => some(far, Infinity));
})();
