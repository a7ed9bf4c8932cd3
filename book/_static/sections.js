// The search finds pages; here each tells the sections in which the words stand, with what stands
// around them. Code, its folds and drawings are left out.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return; // a const of another script, no property of window
  const cleaned = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".highlight, .course-fold, .course-points, .headerlink, svg, script, style").forEach((part) => part.remove());
    page.querySelectorAll(".katex").forEach((set) => set.replaceWith(set.querySelector("annotation").textContent));
    return page;
  };
  const around = (text, words) => {
    const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
    const start = Math.max(0, Math.min(...found) - 80);
    return `${start ? "… " : ""}${text.slice(start, start + 200).trim()}${text.length > start + 200 ? " …" : ""}`;
  };

  // the best three sections and exercises of a page, in its order: [{ id, title, text }]
  Search.sections = (html, keywords) => {
    const words = [...keywords].map((word) => word.toLowerCase());
    const parts = cleaned(html).querySelectorAll("[role=main] :is(section, .exercise)[id]:not(.exercise section)");
    const found = [...parts].map((section, order) => {
      const own = section.cloneNode(true);
      own.querySelectorAll(":is(section, .exercise)[id]:not(.exercise section)").forEach((part) => part.remove());
      const title = own.querySelector("h1, h2, h3, h4, .admonition-title");
      const name = title?.textContent.trim() ?? "";
      title?.remove();
      const text = own.textContent.replace(/\s+/g, " ").trim();
      const counts = words.map((word) => text.toLowerCase().split(word).length - 1);
      const all = counts.filter((count) => count).length;
      return { id: section.id, title: name, text, order, score: 100 * all + Math.min(99, counts.reduce((a, b) => a + b, 0)) };
    });
    return found.filter(({ score }) => score)
      .sort((one, other) => other.score - one.score).slice(0, 3)
      .sort((one, other) => one.order - other.order)
      .map(({ id, title, text }) => ({ id, title, text: around(text, words) }));
  };

  const summary = Search.makeSearchSummary;
  const whole = Search.htmlToText;
  Search.htmlToText = (html, anchor) => whole(cleaned(html).documentElement.outerHTML, anchor);
  Search.makeSearchSummary = (html, keywords, anchor) => {
    const found = anchor ? [] : Search.sections(html, keywords);
    if (!found.length) return summary(html, keywords, anchor);
    const list = document.createElement("ul");
    list.className = "course-found";
    for (const { id, title, text } of found) {
      const [item, link, words] = ["li", "a", "p"].map((name) => document.createElement(name));
      link.textContent = title;
      link.hash = id;
      words.className = "context";
      words.textContent = text;
      item.append(link, words);
      list.append(item);
    }
    queueMicrotask(() => { // it stands beside the link to its page then
      const page = list.parentElement?.querySelector("a")?.href.split("#")[0];
      list.querySelectorAll("a").forEach((link, k) => { link.href = `${page}#${found[k].id}`; });
    });
    return list;
  };
});
