// KaTeX sets the formulas: the first ones at once, the others in short turns, so that the page answers
// meanwhile. Without scripts their TeX stands.
(() => {
  const set = (tex, displayMode) => {
    const made = document.createElement("span");
    katex.render(tex, made, { displayMode, throwOnError: false });
    return made.firstChild;
  };
  const formula = (box) => {
    const texts = [...box.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE);
    const text = texts.map((part) => part.data).join("").trim();
    const tex = text.replace(/^\\[[(]|\\[\])]$/g, "").replace(/\{(align|gather)\}/g, "{$1*}"); // no second number
    texts.forEach((part) => part.remove());
    box.append(set(tex, box.matches("div")));
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

  const todo = [...document.querySelectorAll(".math, .tex2jax_process")];
  const turn = (most) => {
    const end = performance.now() + most;
    while (todo.length && performance.now() < end) {
      const box = todo.shift();
      (box.matches(".math") ? formula : within)(box);
    }
    if (todo.length) return setTimeout(turn, 0, 40);
    document.documentElement.dataset.formulas = "set";
    return window.dispatchEvent(new Event("resize")); // what measures itself can do so now
  };
  turn(100);
  window.addEventListener("beforeprint", () => turn(Infinity));
})();
