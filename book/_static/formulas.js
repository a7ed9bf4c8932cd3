// KaTeX sets the formulas: while the page comes the first ones and those that a reader comes near to, the
// others when nothing else is to be done. Without scripts their TeX stands.
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

  // No line begins with the comma after a formula, nor ends with the bracket before one.
  const keep = (made) => {
    const { previousSibling: before, nextSibling: after } = made;
    const open = (before?.nodeType === Node.TEXT_NODE && /[(\[“‘]$/.exec(before.data)?.[0]) ?? "";
    const close = (after?.nodeType === Node.TEXT_NODE && /^(?:[.,;:!?)\]”’]+|th\b)/.exec(after.data)?.[0]) ?? "";
    if (!open && !close) return;
    const kept = document.createElement("span");
    kept.className = "course-kept";
    made.replaceWith(kept);
    kept.append(open || "", made, close || "");
    if (open) before.data = before.data.slice(0, -1);
    if (close) after.data = after.data.slice(close.length);
  };

  const formula = (box) => {
    const texts = [...box.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE);
    const text = texts.map((part) => part.data).join("").trim();
    const tex = text.replace(/^\\[[(]|\\[\])]$/g, "").replace(/\{(align|gather)\}/g, "{$1*}"); // no second number
    texts.forEach((part) => part.remove());
    if (!box.matches("div")) {
      box.append(set(tex, false));
      return keep(box);
    }
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
      if (parts.length === 1) continue;
      const made = parts.map((part, k) => (k % 2 ? set(part, false) : document.createTextNode(part)));
      text.replaceWith(...made);
      made.filter((_, k) => k % 2).forEach(keep);
    }
  };

  const near = new Set();
  const far = new Set();
  const known = new WeakSet();
  const find = () => {
    let last = document.readyState === "loading" && document.body; // what holds it is not yet whole
    while (last?.lastChild) last = last.lastChild;
    for (const box of document.querySelectorAll(".math, .tex2jax_process")) {
      if (known.has(box) || (last && box.contains(last))) continue;
      known.add(box);
      far.add(box);
      watch.observe(box);
    }
  };
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
  const turn = () => { // many at once: after each turn all is laid out
    some(near, 200);
    if (near.size) setTimeout(turn);
  };
  const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 0, { timeRemaining: () => 40 }));
  const rest = (deadline) => {
    if (!near.size) some(far, Math.max(10, deadline.timeRemaining()));
    if (far.size) return idle(rest, { timeout: 500 });
    document.documentElement.dataset.formulas = "set";
    return window.dispatchEvent(new Event("resize")); // what measures itself can do so now
  };
  const watch = new IntersectionObserver((seen) => {
    seen.filter((one) => one.isIntersecting && far.has(one.target)).forEach((one) => near.add(one.target));
    turn();
  }, { rootMargin: "100% 0px" });
  const come = () => {
    find();
    if (document.readyState === "loading") return setTimeout(come, 100);
    return idle(rest, { timeout: 2000 });
  };
  const begin = () => {
    find();
    some(far, 200);
    window.addEventListener("beforeprint", () => some(far, Infinity));
    come();
  };

  const script = document.querySelector("script[src*='katex.min.js']"); // comes after this one, or has come
  if (location.protocol !== "file:") { // where a font that is asked for early is refused
    for (const name of ["Main-Regular", "Math-Italic"]) {
      const href = new URL(`fonts/KaTeX_${name}.woff2`, script.src);
      document.head.append(Object.assign(document.createElement("link"), { rel: "preload", as: "font", crossOrigin: "", href }));
    }
  }
  if (window.katex) begin();
  else script.addEventListener("load", begin);
})();
