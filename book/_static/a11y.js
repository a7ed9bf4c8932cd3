// What the theme leaves out for keyboards and screen readers; tests/book/test_site.py holds it to it.
document.addEventListener("DOMContentLoaded", () => {
  const all = (selector, change) => document.querySelectorAll(selector).forEach(change);

  // icons are decoration: the button's own name is read, or its tooltip where it has none.
  all(":is(button, a) :is(i, svg)", (icon) => {
    icon.setAttribute("aria-hidden", "true");
    icon.removeAttribute("title");
    icon.querySelector("title")?.remove();
  });
  all("button, a.btn, summary", (control) => {
    const tip = control.dataset.bsTitle || control.dataset.tooltip || control.title;
    if (!control.textContent.trim() && tip && !control.ariaLabel) control.ariaLabel = tip;
  });
  all(".bd-links summary", (summary) => {
    const page = summary.closest("li").querySelector("a");
    if (page) summary.ariaLabel = `Pages below “${page.textContent.trim()}”`;
  });
  // sphinx-exercise gives the same id to every box
  all("#exercise-content, #proof-content", (section) => section.removeAttribute("id"));
  all("th", (cell) => {
    if (cell.textContent.trim()) return;
    cell.replaceWith(document.createElement("td")); // it heads nothing
  });
  all("summary[aria-label]", (summary) => {
    if (summary.textContent.trim()) summary.removeAttribute("aria-label");
  });
  all(".search-button-field", (button) => {
    button.removeAttribute("aria-label"); // it says more than "Search": the shortcut
    button.removeAttribute("title");
  });
  all(".citation-list, .citation-list *", (entry) => entry.removeAttribute("role"));
  all(".sidebar-primary-item:has(> .navbar-brand)", (home) => {
    home.setAttribute("role", "navigation");
    home.setAttribute("aria-label", "Home");
  });

  // the excerpt of a page that was found starts with its words, not with its code
  if (window.Search) {
    const text = Search.htmlToText;
    Search.htmlToText = (html, anchor) => {
      const page = new DOMParser().parseFromString(html, "text/html");
      page.querySelectorAll(".highlight, .course-fold").forEach((code) => code.remove());
      return text(page.documentElement.outerHTML, anchor);
    };
  }

  // what scrolls sideways can be reached with the keyboard
  const wide =
    ".course-figure, .course-table, .course-scroll, .pst-scrollable-table-container, " +
    ".bd-article :is(pre, div.math, mjx-container)";
  const reach = () =>
    all(wide, (box) => {
      const scrolls = getComputedStyle(box).overflowX !== "visible"; // not a formula in a line
      if (scrolls && box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    });
  reach();
  window.addEventListener("load", reach);
  window.addEventListener("resize", reach);
});
