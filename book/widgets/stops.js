// Buttons that are one tab stop: the arrow keys go from one to the next, and by rows where there are columns.
const oneStop = (group, columns = 1) => {
  const all = () => [...group.querySelectorAll("button")];
  const stop = (at) => all().forEach((one, place) => (one.tabIndex = place === at ? 0 : -1));
  group.addEventListener("focusin", (event) => stop(all().indexOf(event.target)));
  group.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    all()[all().indexOf(event.target) + columns * by[0] + by[1]]?.focus();
  });
  return stop;
};
