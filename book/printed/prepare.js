// Run on a finished page, with what it is prepared for: { kind, pages, address, first, preface,
// style, stills }.
// The article stays, and nothing around it. Folds are opened, or go with what only draws a figure;
// solutions move to the end of the chapter; predictions keep their choices, and their results are open.
// Of a widget a picture of how it opens stays, with what it would let a reader do. Returns what the
// next step needs to know.
((given) => {
  const article = document.querySelector(".bd-article");
  const all = (selector, change) => [...article.querySelectorAll(selector)].forEach(change);
  const make = (name, className, ...inner) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...inner);
    return made;
  };

  const root = document.documentElement;
  Object.assign(root.dataset, { theme: "light", mode: "light", view: "do" });
  const here = location.pathname.replace(/[^/]*$/, "");
  const base = here.replace(/book\/(api\/)?$/, ""); // of the site

  // the table of chapters stands in the contents, and a link for the screen says nothing on paper
  all(":is(.headerlink, .copybtn, script, .course-cards, .course-begin, .course-tall, .course-asked, .course-said, .course-more, .course-fold)", (part) => part.remove());
  all(":is(.sr-only, .visually-hidden)", (part) => part.remove());
  all(".bd-article > section section", (section) => { // of which nothing is left: the chapters' list
    if (!section.querySelector(":scope > :not(:is(h2, h3, p:has(> strong:only-child)))")) section.remove();
  });
  all("[hidden]", (part) => { if (part.matches(".course-answer")) part.removeAttribute("hidden"); });
  all(".course-choices button", (button) => button.replaceWith(...button.childNodes));
  all("[tabindex]", (part) => part.removeAttribute("tabindex"));
  all(".admonition > section", (section) => section.removeAttribute("id"));

  // folds, from the innermost one outwards
  const solutions = make("section", "course-solutions", make("h2", "", "Solutions"));
  solutions.id = "solutions-of-exercises";
  [...article.querySelectorAll("details")].reverse().forEach((fold) => {
    if (fold.closest(".course-widget")) return;
    const summary = fold.querySelector(":scope > summary");
    const box = make("div", fold.className || "course-opened");
    const title = make("p", "course-opened-title", ...(summary?.childNodes ?? []));
    summary?.remove();
    box.append(title, ...fold.childNodes);
    const card = fold.closest(".exercise");
    if (!card || !/^Solution/.test(title.textContent)) return fold.replaceWith(box);
    const number = card.querySelector(".caption-number")?.textContent.trim();
    const back = make("a", "", number || "Exercise");
    back.href = `#${card.id}`;
    const heading = make("h3", "", ...title.childNodes);
    heading.firstChild.replaceWith(back, `${number ? "" : " "}: `);
    box.id = `solution-${card.id}`;
    title.remove();
    box.prepend(heading);
    box.className = "course-solution";
    solutions.children[0].after(box); // the last comes first here, and ends last
    const there = make("a", "", "Solution at the end of the chapter");
    there.href = `#${box.id}`;
    return fold.replaceWith(make("p", "course-there", there));
  });
  if (solutions.children.length > 1) (article.querySelector(":scope > section") ?? article).append(solutions);

  // what a widget would let a reader do
  all(".course-widget", (widget) => {
    const name = [...widget.classList].find((one) => one !== "course-widget").replace("course-", "");
    const note = make("p", "course-still", given.stills[name] ? `On the website: ${given.stills[name]}` : "");
    if (given.address) {
      const link = make("a", "", given.address.replace(/^https?:\/\//, ""));
      link.href = `${given.address}book/${location.pathname.split("/").pop()}`;
      note.append(" ", link);
    }
    widget.after(note);
  });

  // links: to pages that are here, to the site where it has an address, or none
  all("a[href]", (link) => {
    const url = new URL(link.getAttribute("href"), location.href); // of a link in a drawing, too
    if (url.protocol !== "file:" || url.pathname === location.pathname) return;
    const slug = url.pathname.startsWith(`${base}book/`) ? url.pathname.slice(`${base}book/`.length).replace(/\.html$/, "") : "";
    if (given.pages.includes(slug)) return;
    if (given.address) link.setAttribute("href", given.address + url.pathname.slice(base.length) + url.hash);
    else link.replaceWith(...link.childNodes);
  });

  all("pre", (code) => { // what is short stays together
    if (code.textContent.trim().split("\n").length > 14) code.classList.add("course-long");
  });
  if (given.preface) article.querySelector("h1").replaceChildren(given.preface);
  const title = article.querySelector("h1")?.textContent.trim() ?? document.title;
  if (given.kind === "pdf") {
    // the printer keeps the places that a link on the page leads to: others come from other pages
    const places = make("div", "course-places");
    all("[id]", (part) => {
      if (part.closest("svg, .course-widget")) return;
      const link = make("a", "");
      link.href = `#${part.id}`;
      places.append(link);
    });
    places.hidden = true;
    article.append(places);
    const words = JSON.stringify(title);
    const style = make("style", "", given.style, `html { counter-reset: page ${given.first - 1}; } @page { @top-left { content: ${words}; } }`);
    document.head.append(style);
  }
  const main = make("main", "bd-main bd-content", article);
  document.body.replaceChildren(main);
  window.dispatchEvent(new Event("resize"));
  const words = (part) => part?.textContent.replace(/\s+/g, " ").trim() ?? "";
  const sections = [...article.querySelectorAll(":scope > section > section")].map((section) => ({
    id: section.id,
    title: words(section.querySelector("h2")),
  }));
  const headings = [...article.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(words);
  return { title, headings, sections: sections.filter((section) => section.title) };
})
