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
    if (page) summary.ariaLabel = "Pages below “…”".replace("…", page.textContent.trim());
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

  // what scrolls sideways can be reached with the keyboard; what is far off the screen is not laid out,
  // and waits until it is
  const wide = "pre, .cell_output > .output, .pst-scrollable-table-container, .course-figure, .course-table, .course-scroll, .bd-article :is(div.math, .katex-display)";
  const reach = () => {
    const near = [...document.querySelectorAll(wide)].filter((box) => box.checkVisibility?.({ contentVisibilityAuto: true }) ?? true);
    const scrolls = near.filter((box) => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible");
    scrolls.forEach((box) => { box.tabIndex = 0; });
  };
  let waits = false;
  const idle = window.requestIdleCallback ?? ((act) => setTimeout(act));
  const soon = () => {
    if (!waits) idle(() => { waits = false; reach(); }, { timeout: 1000 });
    waits = true;
  };
  window.addEventListener("load", soon);
  window.addEventListener("resize", soon);
  document.addEventListener("contentvisibilityautostatechange", soon, true);
});
