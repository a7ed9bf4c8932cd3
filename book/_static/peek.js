// What a link to a work or a formula leads to, beside the link: while the pointer or the keyboard's focus is on
// it, and after a tap, where a second one follows it. Escape closes. Without this a link to a work has a title,
// and all links lead where they say.
document.addEventListener("DOMContentLoaded", () => {
  const LINKS = '.bd-article a.internal:is([href^="#equation-"], [href*="bibliography.html#"])';
  const links = [...document.querySelectorAll(LINKS)].filter((link) => !link.closest(".citation"));
  if (!links.length) return;
  const box = document.createElement("div");
  box.className = "course-peek";
  box.id = "course-peek";
  box.setAttribute("role", "tooltip");
  box.hidden = true;
  document.body.append(box);
  let open = null; // the link that has it
  let timer = 0;
  let touched = false;

  const content = (link) => {
    if (link.dataset.peek) return [link.dataset.peek];
    const there = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return [...(there?.querySelectorAll(".katex-display") ?? [])].map((part) => part.cloneNode(true));
  };

  const close = () => {
    clearTimeout(timer);
    open?.removeAttribute("aria-describedby");
    open = null;
    box.hidden = true;
  };
  const show = (link) => {
    clearTimeout(timer);
    if (open === link) return;
    close();
    const parts = content(link);
    if (!parts.length) return;
    box.replaceChildren(...parts);
    box.hidden = false;
    open = link;
    link.setAttribute("aria-describedby", box.id);
    place();
  };
  const place = () => {
    const at = open?.getClientRects()[0]; // a link may go on in the next line
    if (!at) return;
    if (at.bottom < 0 || at.top > innerHeight) return close();
    const { width, height } = box.getBoundingClientRect();
    const below = at.bottom + 4 + height <= innerHeight || at.top < height + 4;
    box.style.top = `${below ? at.bottom + 4 : at.top - height - 4}px`;
    box.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8))}px`;
  };
  const later = (act, time) => {
    clearTimeout(timer);
    timer = setTimeout(act, time);
  };

  for (const link of links) {
    if (link.title) { // else the browser shows it, too
      link.dataset.peek = link.title;
      link.removeAttribute("title");
    }
    link.addEventListener("pointerenter", ({ pointerType }) => pointerType === "mouse" && later(() => show(link), 150));
    link.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && later(close, 250));
    link.addEventListener("pointerdown", ({ pointerType }) => { touched = pointerType === "touch"; });
    link.addEventListener("focus", () => link.matches(":focus-visible") && !touched && show(link));
    link.addEventListener("blur", close);
    link.addEventListener("click", (event) => {
      if (!touched || open === link) return close();
      show(link);
      return open && event.preventDefault();
    });
  }
  box.addEventListener("pointerenter", () => clearTimeout(timer)); // it can be read and copied from
  box.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && later(close, 250));
  document.addEventListener("pointerdown", ({ target }) => box.contains(target) || links.some((link) => link.contains(target)) || close());
  document.addEventListener("keydown", ({ key }) => {
    touched = false;
    if (key === "Escape") close();
  });
  window.addEventListener("scroll", place, { passive: true }); // focus scrolls, too
});
