// Layers, units, activation and rate are the reader's; the network trains here, on all points in every step, as
// the page does. Without this the picture of a trained one stands.
widgets("spirals", (root, { most, points, labels, fresh, freshLabels }) => {
  const SIDE = 56; // of the grid on which regions are computed
  const x = Float64Array.from(points, (value) => value / 100);
  const newX = Float64Array.from(fresh, (value) => value / 100);
  const grid = new Float64Array(2 * SIDE * SIDE);
  for (let k = 0; k < SIDE * SIDE; k += 1) {
    grid[2 * k] = most * ((2 * (k % SIDE) + 1) / SIDE - 1);
    grid[2 * k + 1] = most * (1 - (2 * Math.floor(k / SIDE) + 1) / SIDE);
  }
  const names = { relu: "ReLU", tanh: "tanh", sigmoid: "sigmoid", identity: "none" };
  const chosen = { layers: 1, units: 8, activation: "relu", rate: 0.5, seed: 1, folds: true };
  const svg = root.querySelector("svg");
  const says = sentence();
  const canvas = Object.assign(element("canvas"), { width: SIDE, height: SIDE });
  const lines = drawn(svg, "g", { class: "course-folds" });
  const loss = chart(["training points", "new points"], {
    high: 0.8, ylabel: "loss (nats)", level: Math.LN2, alt: "Loss against steps, on training points and on new ones",
  });
  let [net, moves, history, told, broken] = [null, null, [[], []], null, false];

  const measure = () => {
    told = Engine.evaluate(net, x, labels);
    const found = Engine.evaluate(net, newX, freshLabels);
    told.fresh = found;
    return [told.loss, found.loss];
  };
  const build = () => {
    const { layers, units, activation, seed } = chosen;
    net = Engine.network({ sizes: [2, ...Array(layers).fill(units), 2], activation });
    Engine.uniformly(net, seed);
    moves = Engine.optimizer("SGD", net.weights);
    [history, broken] = [[[], []], false];
    measure().forEach((value, k) => history[k].push(value));
  };
  const step = (rate) => {
    const before = Engine.train(net, moves, x, labels, rate);
    broken = !Number.isFinite(before) || net.weights.some((weight) => !Number.isFinite(weight));
    if (broken) return false;
    const count = history[0].length;
    history[0].push(count % 10 ? before : null); // that of new points, and the exact one, every ten steps
    history[1].push(null);
    if (count % 10 === 0) measure().forEach((value, k) => { history[k][count] = value; });
    return true;
  };

  const paint = () => {
    const scores = Engine.forward(net, grid);
    const colors = [colorOf(root, "--blue"), colorOf(root, "--orange")];
    const picture = new ImageData(SIDE, SIDE);
    for (let k = 0; k < SIDE * SIDE; k += 1) {
      const lead = 1 / (1 + Math.exp(scores[2 * k] - scores[2 * k + 1])); // of the second class
      const shade = Math.round(Math.abs(2 * lead - 1) * 5) / 5;
      picture.data.set([...colors[lead > 0.5 ? 1 : 0], 115 * shade], 4 * k);
    }
    canvas.getContext("2d").putImageData(picture, 0, 0);
  };
  // where the sum of a unit of the first layer is zero
  const fold = () => {
    lines.replaceChildren();
    if (!chosen.folds || !chosen.layers) return;
    const { weight, bias } = net.layers[0];
    const size = 320 / (2 * most);
    const place = (a, b) => `${(160 + size * a).toFixed(1)} ${(160 - size * b).toFixed(1)}`;
    bias.forEach((b, j) => {
      const [p, q] = [weight[2 * j], weight[2 * j + 1]];
      const square = p * p + q * q;
      if (!square) return;
      const [a, c] = [(-b * p) / square, (-b * q) / square]; // its point nearest to the middle
      const far = (3 * most) / Math.sqrt(square);
      drawn(lines, "path", { d: `M${place(a - q * far, c + p * far)}L${place(a + q * far, c - p * far)}` });
    });
  };
  const show = (playing, count) => {
    if (!broken && (!playing || count % 2 === 0)) paint();
    if (!playing) measure();
    fold();
    loss.show(history.map((values) => values.map((value) => value ?? NaN)));
    const { layers, units, activation } = chosen;
    const which = layers ? `${layers} hidden layer${layers > 1 ? "s" : ""} of ${units}, ${activation === "identity" ? "no activation" : names[activation]}` : "no hidden layer";
    says.textContent = broken ? `Step ${count}: training diverged, and weights are no longer numbers. Reset it, and lower the rate.`
      : `Step ${count.toLocaleString("en")}, ${which}: loss ${told.loss.toFixed(3)} on the training points, ${(100 * told.fresh.right).toFixed(1)}% of new points right.`;
  };

  const run = stepwise(root, {
    action: "Train", many: 100, every: 4, step, show, restart: build, setting: () => chosen.rate,
    save: () => moves.save(),
    load: (state, count) => {
      moves.load(state);
      broken = false;
      history = history.map((values) => values.slice(0, count + 1));
      measure().forEach((value, k) => { history[k][count] = value; });
    },
  });
  const choose = (label, name, values, text) => {
    const { group, press } = chooser(label, values, (value) => {
      chosen[name] = value;
      if (net) run.again();
    }, text);
    press(chosen[name]);
    return group;
  };
  const rate = slider("learning rate", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10], chosen.rate, (value) => { chosen.rate = value; });
  const folds = element("label");
  const box = Object.assign(element("input"), { type: "checkbox", checked: true });
  box.addEventListener("change", () => {
    chosen.folds = box.checked;
    fold();
  });
  folds.append(box, " lines where a unit of the first layer is zero");
  const more = element("div", "course-tools");
  more.append(rate, button("Other initial weights", () => {
    chosen.seed += 1;
    run.again();
  }));
  const choices = element("div", "course-choices-of");
  choices.append(
    choose("hidden layers: ", "layers", [0, 1, 2, 3]),
    choose("units: ", "units", [2, 4, 8, 16, 32]),
    choose("activation: ", "activation", Object.keys(names), (name) => names[name]),
  );
  const [picture, both] = [element("div", "course-picture"), element("div", "course-both")];
  picture.append(canvas, svg, folds);
  both.append(picture, loss.made);
  root.append(choices, more, run.bar, says, both);
  run.again();
  onTheme(paint);
});
