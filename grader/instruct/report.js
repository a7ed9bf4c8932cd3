// Sorts and searches tables, and shows one student at a time. Without it, everything is on the page.
document.documentElement.classList.add("js");

for (const table of document.querySelectorAll("table")) {
  const heads = [...table.querySelectorAll("thead th")];
  for (const [column, head] of heads.entries()) {
    head.querySelector("button")?.addEventListener("click", () => {
      const up = head.ariaSort !== "ascending" && !(head.classList.contains("number") && head.ariaSort === null);
      for (const one of heads) one.ariaSort = one === head ? (up ? "ascending" : "descending") : null;
      const value = (row) => row.children[column].dataset.v ?? row.children[column].textContent;
      const compare = (a, b) => {
        const [x, y] = [value(a), value(b)];
        const numbers = x !== "" && y !== "" && !isNaN(x) && !isNaN(y);
        return (numbers ? x - y : x.localeCompare(y)) * (up ? 1 : -1);
      };
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
    });
  }
}

const [search, state, shown] = ["search", "state", "shown"].map((id) => document.getElementById(id));
const rows = [...document.querySelectorAll("#students-table tbody tr")];
const filter = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = `${row.textContent} ${row.dataset.words}`.toLowerCase();
    row.hidden = !(words.every((word) => text.includes(word)) && (!state.value || row.dataset.state === state.value));
    count += !row.hidden;
  }
  shown.value = count === 1 ? "1 student" : `${count} students`;
};
search.addEventListener("input", filter);
state.addEventListener("change", filter);

const whole = document.getElementById("class");
const turn = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  const page = id.startsWith("student-") ? document.getElementById(id) : null;
  for (const one of document.querySelectorAll(".student.open")) one.classList.remove("open");
  page?.classList.add("open");
  whole.hidden = Boolean(page);
  if (page) {
    page.querySelector("h2").focus({ preventScroll: true });
    scrollTo({ top: 0, behavior: "instant" });
  } else if (id) document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
};
addEventListener("hashchange", turn);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && whole.hidden) location.hash = "students";
  if (event.key === "/" && !whole.hidden && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
turn();
