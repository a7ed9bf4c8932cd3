// Shrinks a slide that is too large for its screen, and starts reveal.js.
(() => {
  const LEAST = 0.55; // of its size: what would have to be smaller than this stays, and scrolls
  const root = document.documentElement;
  const dark = () => localStorage.getItem("deck-theme") === "dark";
  const paint = () => { root.dataset.theme = dark() ? "dark" : "light"; };
  paint();

  // a question's choices are read out, not clicked
  document.querySelectorAll(".course-answer[hidden]").forEach((one) => one.removeAttribute("hidden"));

  const fit = (slide) => {
    const body = slide.querySelector(".deck-body");
    if (!body || !slide.offsetParent) return;
    body.style.zoom = "";
    for (let step = 0; step < 8; step += 1) {
      const zoom = Number(body.style.zoom || 1);
      const high = body.scrollHeight / body.clientHeight;
      const broad = body.scrollWidth / body.clientWidth;
      if (Math.max(high, broad) <= 1.005 || zoom <= LEAST) break;
      body.style.zoom = String(Math.max(LEAST, zoom * Math.max(0.8, 1 / Math.max(high, broad))));
    }
    slide.dataset.fit = body.style.zoom || "1";
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
    if (/print-pdf/.test(location.search)) return;
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
