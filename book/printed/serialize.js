// Run on a prepared page, with the names of its widgets' pictures: what e-readers understand. Formulas
// are MathML, colors are fixed, widgets are pictures, links lead to the book's files. Returns XHTML.
((pictures) => {
  const article = document.querySelector(".bd-article");
  const all = (selector, change) => [...article.querySelectorAll(selector)].forEach(change);
  const unit = (part) => [part, ...part.querySelectorAll("*")];

  // colors as they come out, for a variable is nothing to an e-reader; the text's own color may change
  const variable = /var\(|color-mix\(/;
  unit(article).forEach((part) => {
    const seen = getComputedStyle(part);
    for (const name of ["fill", "stroke", "color", "stop-color"]) {
      if (variable.test(part.getAttribute?.(name) ?? "")) part.setAttribute(name, seen.getPropertyValue(name));
    }
    if (part.closest(".course-widget") || !part.hasAttribute("style")) return;
    for (const name of [...part.style].filter((one) => variable.test(part.style.getPropertyValue(one)))) {
      if (!name.startsWith("--")) part.style.setProperty(name, seen.getPropertyValue(name));
    }
  });
  unit(article).filter((part) => part.hasAttribute("style") && !part.closest(".course-widget")).forEach((part) => {
    [...part.style].filter((name) => name.startsWith("--")).forEach((name) => part.style.removeProperty(name));
    if (!part.getAttribute("style")) part.removeAttribute("style");
  });

  all(".course-widget", (widget, place) => {
    const picture = document.createElement("img");
    picture.setAttribute("src", `images/${pictures[place].name}`);
    picture.alt = pictures[place].alt;
    picture.setAttribute("style", `width: ${pictures[place].width}px`);
    widget.replaceWith(picture);
  });

  all(".katex", (set) => {
    const math = set.querySelector("math");
    const tex = math.querySelector("annotation");
    math.setAttribute("alttext", tex.textContent);
    tex.remove();
    const whole = math.querySelector(":scope > semantics");
    whole?.replaceWith(...whole.childNodes);
    math.querySelectorAll("mo:has(*)").forEach((sign) => sign.replaceChildren(sign.textContent)); // "mod"
    [...math.querySelectorAll("mtext:has(*)")].forEach((text) => { // words around a formula
      const row = document.createElementNS(math.namespaceURI, "mrow");
      row.append(...text.childNodes);
      text.replaceWith(row);
    });
    // KaTeX leaves thin spaces bare, and an invisible sign where there is a place for two parts alone
    unit(math).filter((part) => !/^(mi|mn|mo|ms|mtext|annotation)$/.test(part.localName)).forEach((part) => {
      [...part.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).forEach((child) => {
        const space = document.createElementNS(math.namespaceURI, "mtext");
        child.replaceWith(space);
        space.append(child);
      });
      if (/^(msub|msup|msubsup|munder|mover|munderover|mfrac|mroot)$/.test(part.localName)) {
        [...part.children].filter((child) => child.textContent === "\u2061").forEach((child) => child.remove());
      }
    });
    set.replaceWith(math);
  });
  all(".katex-display, .course-kept", (box) => box.replaceWith(...box.childNodes));

  all("a", (link) => {
    const href = link.getAttribute("href");
    if (href === null || href.startsWith("#")) return;
    const url = new URL(href, location.href);
    if (url.protocol !== "file:") return;
    const page = url.pathname === location.pathname ? "" : url.pathname.split("/").pop().replace(/\.html$/, ".xhtml");
    link.setAttribute("href", `${page}${url.hash}`);
  });

  all("svg path:not([d])", (path) => path.remove());
  all("svg[role=group]", (drawing) => drawing.setAttribute("role", "document"));
  all("svg a", (link) => {
    const title = document.createElementNS(link.namespaceURI, "title");
    title.append(link.textContent.replace(/\s+/g, " ").trim());
    link.prepend(title);
  });

  // what only the site's styles and scripts know
  all("style, script, link, .course-places", (part) => part.remove());
  unit(article).forEach((part) => {
    for (const name of part.getAttributeNames()) {
      if (/^(data-|on|tabindex$|vocab$|hidden$|target$|rel$)/.test(name)) part.removeAttribute(name);
    }
    if (part.namespaceURI === "http://www.w3.org/1999/xhtml" && part.hasAttribute("role")) part.removeAttribute("role");
  });
  const body = document.createElement("body");
  body.append(...article.childNodes);
  return new XMLSerializer().serializeToString(body);
})
