// Trees of beam searches: choose a source and a width, watch the tree grow, or choose a node and see how it came about.
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

  let [tree, lines, dots, focus] = [[], [], [], null];
  const textOf = (places) => places.map((rank, round) => symbols[tree[round][rank][1]]).join("");
  const score = (node) => minus(node[2].toFixed(2));

  // What the search has done after so many rounds, and the path on which the reader is.
  const draw = (rounds, at, place) => {
    const chosen = at < 0 ? [] : pathTo(tree, at, place);
    tree.forEach((nodes, round) =>
      nodes.forEach((node, rank) => {
        const on = round <= at && chosen[round] === rank ? " on" : "";
        const kind = round < rounds ? KINDS[node[3]] + on : "later";
        lines[round][rank].setAttribute("class", round === rounds - 1 ? `${kind} fresh` : kind);
        dots[round][rank].setAttribute("class", kind);
        dots[round][rank].setAttribute("tabindex", round === focus[0] && rank === focus[1] ? 0 : -1);
      }),
    );
    film.mark(rounds, tree.length);
    return chosen;
  };
  const choose = (at, place) => {
    focus = [at, place];
    const chosen = draw(tree.length, at, place);
    const node = tree[at][place];
    says.textContent = `${sources[source][0]} → ${textOf(chosen)}: log-probability ${score(node)}, ${MEANT[KINDS[node[3]]]}`;
  };
  const film = player(root, {
    every: 1100,
    name: "round",
    go: (rounds) => {
      if (rounds === tree.length) return choose(...bestEnd(tree));
      draw(rounds, rounds - 1, 0);
      const listed = (kind) => (tree[rounds - 1] ?? [])
        .map((node, rank) => (node[3] === kind ? `${textOf(pathTo(tree, rounds - 1, rank))} (${score(node)})` : ""))
        .filter(Boolean).join(" · ");
      const [dropped, kept, ended] = [0, 1, 2].map(listed);
      says.textContent = rounds
        ? `Round ${rounds}. Kept: ${kept || "nothing"}.${ended && ` Finished: ${ended}.`} Best dropped hypothesis: ${dropped || "none"}.`
        : `${sources[source][0]}: the search begins with one hypothesis, which is empty.`;
      const box = svg.parentElement;
      box.scrollLeft = EDGE + ACROSS * (rounds + 1) - box.clientWidth;
    },
  });

  const show = () => {
    tree = sources[source][1][width];
    const size = [2 * EDGE + ACROSS * tree.length, 2 * EDGE + DOWN * (Math.max(...tree.map((nodes) => nodes.length)) - 1)];
    svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
    svg.setAttribute("width", size[0]);
    svg.setAttribute("height", size[1]);
    svg.replaceChildren();
    lines = tree.map((nodes, at) =>
      nodes.map(([parent], place) => {
        const [x, y] = spot(at, place);
        const [x0, y0] = spot(at - 1, at ? parent : 0);
        return drawn(svg, "path", { d: `M${x0} ${y0}L${x} ${y}`, pathLength: 1 });
      }),
    );
    drawn(drawn(svg, "g", { class: "live on" }), "circle", { cx: EDGE, cy: EDGE, r: 5 });
    dots = tree.map((nodes, at) =>
      nodes.map((node, place) => {
        const [x, y] = spot(at, place);
        const dot = drawn(svg, "g", {
          role: "button",
          "aria-label": `Round ${at + 1}, place ${place + 1}: ${symbols[node[1]]}, ${MEANT[KINDS[node[3]]]}`,
        });
        drawn(dot, "circle", { cx: x, cy: y, r: 12 });
        drawn(dot, "text", { x, y }).textContent = symbols[node[1]];
        for (const event of ["click", "focus", "mouseenter"]) dot.addEventListener(event, () => film.playing() || choose(at, place));
        return dot;
      }),
    );
    choose(...bestEnd(tree));
  };
  svg.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    const [at, place] = focus;
    const to = within(at + by[1], tree.length);
    const child = tree[to].findIndex(([parent]) => parent === place);
    const next = !by[1] || to === at ? within(place + by[0], tree[at].length) : by[1] < 0 ? tree[at][place][0] : Math.max(child, 0);
    dots[to][next].focus();
  });

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
  tools.after(film.bar);
  names.press(0);
  widths.press(opens);
});
