// Shrinks a slide that is too large for its screen, and starts reveal.js.
(() => {
  const LEAST = 0.5; // of its size: what would have to be smaller than this stays, and scrolls
  const LETTERS = 16.5; // pixels of a drawing's letters, at least
  const WIDTHS = [560, 680, 800, 960, 1150, 1500]; // pixels that an explorer may take
  const GROWN = 1.6; // how much a small explorer grows
  const LEGIBLE = 12; // pixels of an explorer's smallest letters; one that cannot have them scrolls
  const BROAD = 880; // pixels of its width then
  const MOST = 1.4; // how much they grow: their boxes have no more room
  const root = document.documentElement;
  const printed = /print-pdf/.test(location.search);
  const dark = () => localStorage.getItem("deck-theme") === "dark";
  const paint = () => { root.dataset.theme = dark() ? "dark" : "light"; };
  paint();

  // a question's choices are read out, not clicked
  document.querySelectorAll(".course-answer[hidden]").forEach((one) => one.removeAttribute("hidden"));

  // letters of a drawing that would be too small to read grow, its lines stay
  const enlarge = (slide) => {
    slide.querySelectorAll("figure svg text").forEach((text) => {
      text.dataset.drawn ??= text.style.fontSize;
      text.style.fontSize = text.dataset.drawn;
      const scale = text.getScreenCTM();
      const size = parseFloat(getComputedStyle(text).fontSize);
      const seen = size * Math.hypot(scale.a, scale.b) / deck.getScale();
      if (seen >= LETTERS || !seen) return;
      text.style.fontSize = `${size * Math.min(MOST, LETTERS / seen)}px`;
    });
  };

  const seen = (root) => [...root.querySelectorAll("*")].filter((one) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
      && one.getClientRects().length && !one.closest(".katex"));

  // an explorer is as broad as lets its smallest letters be largest
  const widen = (body) => {
    const widget = body.querySelector(".course-widget");
    if (!widget) return;
    let best = [0, ""];
    WIDTHS.forEach((width) => {
      widget.style.width = `${width}px`;
      const zoom = Math.min(GROWN, body.clientWidth / width, body.clientHeight / (widget.offsetHeight + 8));
      const letters = seen(widget).map((one) => {
        const scale = one.closest("svg") && one.getScreenCTM?.();
        const size = parseFloat(getComputedStyle(one).fontSize);
        return scale ? size * Math.hypot(scale.a, scale.b) / deck.getScale() : size;
      }).filter((size) => size > 1);
      const cut = [...widget.querySelectorAll("*")].some((one) =>
        one.scrollWidth > one.clientWidth + 2 && /auto|scroll/.test(getComputedStyle(one).overflowX));
      const score = zoom * Math.min(...letters, 20) * (cut ? 0.5 : 1);
      if (score > best[0] * 1.02) best = [score, widget.style.width, zoom];
    });
    const scrolls = best[0] < LEGIBLE && !printed;
    if (scrolls) best = [0, `${BROAD}px`, body.clientWidth / BROAD];
    body.classList.toggle("deck-scrolls", scrolls);
    widget.style.width = best[1];
    if (best[2] > 1) body.style.zoom = best[2];
  };

  const shrink = (body) => {
    body.style.zoom = "";
    widen(body);
    body.classList.add("deck-whole"); // no cell of a table breaks, unless the letters are small then
    if (body.scrollWidth > body.clientWidth * 1.12) body.classList.remove("deck-whole");
    for (let step = 0; step < 8; step += 1) {
      const zoom = Number(body.style.zoom || 1);
      const high = body.matches(".deck-scrolls") ? 0 : body.scrollHeight / body.clientHeight;
      const broad = body.scrollWidth / body.clientWidth;
      if (Math.max(high, broad) <= 1.005 || zoom <= LEAST) break;
      body.style.zoom = String(Math.max(LEAST, zoom * Math.max(0.8, 1 / Math.max(high, broad))));
    }
  };

  const fit = (slide) => {
    const body = slide.querySelector(".deck-body");
    if (!body || !slide.offsetParent) return;
    shrink(body);
    const open = slide.querySelectorAll(".course-widget details[open]");
    if (open.length && !body.matches(".deck-scrolls") && body.scrollHeight > body.clientHeight * 1.005) {
      open.forEach((one) => { one.open = false; }); // one opens them when one gets there
      shrink(body);
    }
    slide.dataset.fit = body.style.zoom || "1";
    enlarge(slide);
  };

  const deck = new Reveal({
    width: 1280, height: 720, margin: 0, center: false, hash: true, transition: "none",
    slideNumber: "c/t", plugins: [RevealNotes], pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
  });
  deck.addKeyBinding({ keyCode: 84, key: "T", description: "Light or dark" }, () => {
    localStorage.setItem("deck-theme", dark() ? "light" : "dark");
    paint();
  });
  const ready = () => { root.dataset.deck = "set"; };
  deck.on("pdf-ready", () => {
    document.querySelectorAll(".pdf-page > section").forEach(fit);
    ready();
  });
  deck.initialize().then(() => {
    if (printed) return;
    fit(deck.getCurrentSlide());
    ready();
  });
  deck.on("slidechanged", ({ currentSlide }) => {
    fit(currentSlide);
    window.dispatchEvent(new Event("resize")); // explorers that measure themselves do so now
  });
  window.deck = deck;
  window.fitSlide = fit;
})();
