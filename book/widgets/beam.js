// Trees of beam searches: choose a source and a width, then a node, and see how it came about.
const ACROSS = 44;
const DOWN = 34;
const EDGE = 24;
const KINDS = ["dropped", "live", "ended"];
const MEANT = { dropped: "dropped", live: "kept", ended: "finished" };

widgets("beam", (root, { sources, symbols, opens }) => {
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  let source = 0;
  let width = opens;

  const spot = (at, place) => [EDGE + ACROSS * (at + 1), EDGE + DOWN * place];

  const pathTo = (tree, at, place) => {
    const places = [place];
    for (let round = at; round > 0; round -= 1) places.unshift(tree[round][places[0]][0]);
    return places;
  };

  const bestEnd = (tree) => {
    let best = [tree.length - 1, 0];
    let score = -Infinity;
    tree.forEach((nodes, at) =>
      nodes.forEach((node, place) => {
        if (node[3] === 2 && node[2] > score) [best, score] = [[at, place], node[2]];
      }),
    );
    return best;
  };

  const show = () => {
    const [name, widths] = sources[source];
    const tree = widths[width];
    const size = [2 * EDGE + ACROSS * tree.length, 2 * EDGE + DOWN * (Math.max(...tree.map((nodes) => nodes.length)) - 1)];
    svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
    svg.setAttribute("width", size[0]);
    svg.setAttribute("height", size[1]);
    svg.replaceChildren();
    const lines = tree.map((nodes, at) =>
      nodes.map(([parent], place) => {
        const [x, y] = spot(at, place);
        const [x0, y0] = spot(at - 1, at ? parent : 0);
        return drawn(svg, "path", { d: `M${x0} ${y0}L${x} ${y}` });
      }),
    );
    drawn(drawn(svg, "g", { class: "live on" }), "circle", { cx: EDGE, cy: EDGE, r: 5 });
    const choose = (at, place) => {
      const chosen = pathTo(tree, at, place);
      tree.forEach((nodes, round) =>
        nodes.forEach((node, rank) => {
          const on = round <= at && chosen[round] === rank ? " on" : "";
          lines[round][rank].setAttribute("class", KINDS[node[3]] + on);
          dots[round][rank].setAttribute("class", KINDS[node[3]] + on);
        }),
      );
      const told = chosen.map((rank, round) => symbols[tree[round][rank][1]]).join("");
      const node = tree[at][place];
      says.textContent = `${name} → ${told}: log-probability ${minus(node[2].toFixed(2))}, ${MEANT[KINDS[node[3]]]}`;
    };
    const dots = tree.map((nodes, at) =>
      nodes.map((node, place) => {
        const [x, y] = spot(at, place);
        const dot = drawn(svg, "g", {
          tabindex: 0,
          role: "button",
          "aria-label": `Round ${at + 1}, place ${place + 1}: ${symbols[node[1]]}, ${MEANT[KINDS[node[3]]]}`,
        });
        drawn(dot, "circle", { cx: x, cy: y, r: 12 });
        drawn(dot, "text", { x, y }).textContent = symbols[node[1]];
        for (const event of ["click", "focus", "mouseenter"]) dot.addEventListener(event, () => choose(at, place));
        return dot;
      }),
    );
    choose(...bestEnd(tree));
  };

  const tools = root.querySelector(".course-tree");
  const names = chooser("Read: ", sources.map((_, index) => index), (value) => {
    source = value;
    show();
  }, (index) => sources[index][0]);
  const widths = chooser("Beam: ", Object.keys(sources[0][1]).map(Number), (value) => {
    width = value;
    show();
  });
  root.insertBefore(names.group, tools);
  root.insertBefore(widths.group, tools);
  names.press(0);
  widths.press(opens);
});
