// Read, Do, All: how much of a page is open. The choice is remembered, and layout.html has set it on
// <html data-view> before anything is painted. What a reader opens or closes by hand stays so until
// the next choice.
document.addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector(".article-header-buttons");
  const parts = ".bd-article :is(.exercise, .cell, .course-answer, .course-asked)";
  if (!place || !document.querySelector(parts)) return; // nothing to hide or to open
  const VIEWS = {
    read: "Read: without exercises and code, results shown",
    do: "Do: predict, then look; exercises as they come",
    all: "All: everything opened",
  };
  const root = document.documentElement;
  const folds = () => document.querySelectorAll(".bd-article details");

  const open = (view) => {
    if (view !== "do") {
      document.querySelectorAll(".course-asked").forEach((button) => button.dispatchEvent(new Event("reveal")));
    }
    folds().forEach((fold) => {
      if (view === "all" && !fold.open) {
        fold.open = true;
        fold.dataset.byView = "";
      } else if (view !== "all" && "byView" in fold.dataset) {
        fold.open = false;
        delete fold.dataset.byView;
      }
    });
    window.dispatchEvent(new Event("resize")); // what measures itself can do so now
  };

  const group = document.createElement("div");
  group.className = "course-view";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "How much of the page is open");
  const buttons = Object.entries(VIEWS).map(([view, tip]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = tip.split(":")[0];
    button.title = tip;
    button.addEventListener("click", () => choose(view));
    group.append(button);
    return [view, button];
  });
  const press = () => buttons.forEach(([view, button]) => button.setAttribute("aria-pressed", view === root.dataset.view));
  const choose = (view) => {
    // the heading that is being read stays where it is
    const headings = [...document.querySelectorAll(".bd-article :is(h1, h2, h3)")];
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 120);
    const before = read?.getBoundingClientRect().top;
    root.dataset.view = view;
    try {
      localStorage.setItem("view", view);
    } catch {} // private windows may forbid it: then the choice lasts as long as the page
    press();
    open(view);
    if (read) window.scrollBy({ top: read.getBoundingClientRect().top - before, behavior: "instant" });
  };
  press();
  place.prepend(group);
  if (root.dataset.view !== "do") open(root.dataset.view);
});
