// The query and the key move through the text, and their hands turn; the product depends on the distance alone.
widgets("dials", (root, { query, key, rates, longest, at, distance, scale, long }) => {
  const FACE = 34;
  const hands = ["query", "key"].map((name) => [...root.querySelectorAll(`line.course-${name}`)]);
  const here = root.querySelector(".course-here");
  const says = root.querySelector("[role=status]");
  const half = rates.length;
  const turned = (vector, position) => rates.map((rate, i) => {
    const [cos, sin] = [Math.cos(rate * position), Math.sin(rate * position)];
    const [first, second] = [vector[i], vector[i + half]];
    return [first * cos - second * sin, second * cos + first * sin];
  });

  const draw = () => {
    const both = [turned(query, at), turned(key, at - distance)];
    hands.forEach((some, k) => some.forEach((hand, i) => {
      hand.setAttribute("x2", ((FACE * both[k][i][0]) / long).toFixed(1));
      hand.setAttribute("y2", ((-FACE * both[k][i][1]) / long).toFixed(1));
    }));
    const product = both[0].reduce((sum, [x, y], i) => sum + x * both[1][i][0] + y * both[1][i][1], 0);
    here.setAttribute("cx", ((400 * distance) / longest).toFixed(1));
    here.setAttribute("cy", (-scale * product).toFixed(1));
    says.textContent = `Query at ${at}, key at ${at - distance}. Distance ${distance}: the product is ${minus(product.toFixed(2))}.`;
    film.mark(at - distance, longest - distance);
    [slide.value, apart.textContent] = [distance, distance];
  };
  const film = player(root, {
    name: "key position",
    every: 350,
    go: (to) => {
      at = to + distance;
      draw();
    },
  });
  const [label, slide, apart] = [element("label", "", "distance "), element("input"), element("output")];
  Object.assign(slide, { type: "range", min: 0, max: longest });
  slide.addEventListener("input", () => {
    const from = at - distance;
    distance = Number(slide.value);
    at = Math.min(from + distance, longest);
    draw();
  });
  label.append(slide, apart);
  const tools = element("div", "course-tools");
  tools.append(label);
  root.querySelector(".course-dials-row").before(film.bar, tools);
  draw();
});
