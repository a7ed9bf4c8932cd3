// Two networks train here from one start on the same batches, without and with batch normalization. Without this
// the histograms of another start stand.
widgets("histograms", (root, { pictures, labels: classes, hidden }) => {
  const [BINS, FAR, BATCH] = [40, 4, 64];
  const labels = Array.from(classes, Number);
  const inputs = pictures.length / labels.length;
  const levels = Float64Array.from(pictures, (level) => parseInt(level, 17) / 16);
  const images = labels.map((_, k) => levels.subarray(inputs * k, inputs * (k + 1)));
  const flat = (places) => {
    const rows = new Float64Array(places.length * inputs);
    places.forEach((place, row) => rows.set(images[place], row * inputs));
    return rows;
  };
  const probe = flat([...Array(BATCH).keys()]);
  const says = root.querySelector("[role=status]");
  const cells = [...root.querySelectorAll("tbody tr")].map((row) => [0, 1].map((k) => ({
    paths: row.querySelectorAll("svg")[k].querySelectorAll("path"),
    deviation: row.querySelectorAll("td")[2 * k + 1],
  })));
  const loss = chart(["without", "with batch norm"], {
    high: 4, ylabel: "loss (nats)", level: Math.log(10), alt: "Loss of each batch against steps, without and with batch normalization",
  });
  const NAMES = { 0.25: "¼", 0.5: "½", 1: "1", 2: "2" };
  const chosen = { scale: 0.25, rate: 0.02 };
  let [nets, seed] = [[], 1];

  const build = () => {
    nets = [false, true].map((norm) => {
      const net = Engine.network({ sizes: [inputs, ...hidden, 10], norm });
      Engine.normally(net, seed, (count) => chosen.scale * Math.sqrt(2 / count));
      return { net, moves: Engine.optimizer("momentum", net.weights), losses: [], broken: false };
    });
  };
  // Every step has its own batch: the same for both, and the same again after going back.
  const step = (rate) => {
    const uniform = Engine.random(1000 + nets[0].losses.length);
    const places = Array.from({ length: BATCH }, () => Math.floor(uniform() * images.length));
    const [x, y] = [flat(places), places.map((place) => labels[place])];
    for (const one of nets) {
      const now = one.broken ? NaN : Engine.train(one.net, one.moves, x, y, rate);
      one.losses.push(now);
      one.broken = !one.net.weights.every(Number.isFinite);
    }
    return true;
  };

  const bars = ([below, above], sums) => {
    const counts = new Float64Array(BINS);
    for (const sum of sums) counts[within(Math.floor(((sum + FAR) / (2 * FAR)) * BINS), BINS)] += 1;
    const most = Math.max(...counts);
    const drawnOf = (wanted) => [...counts].map((count, k) => (count && wanted(k) ? `M${2 * k + 1} 20v-${((19 * count) / most).toFixed(1)}` : "")).join("");
    below.setAttribute("d", drawnOf((k) => k < BINS / 2));
    above.setAttribute("d", drawnOf((k) => k >= BINS / 2));
  };
  const deviation = (sums) => {
    const mean = sums.reduce((sum, one) => sum + one, 0) / sums.length;
    return Math.sqrt(sums.reduce((sum, one) => sum + (one - mean) ** 2, 0) / sums.length);
  };
  const told = (value) => (value < 0.001 ? "<0.001" : value < 100 ? value.toFixed(value < 0.1 ? 3 : 2) : value.toExponential(0).replace("+", ""));
  const show = (playing, count) => {
    nets.forEach(({ net, broken }, k) => {
      if (!broken) Engine.forward(net, probe);
      cells.forEach((row, l) => {
        const sums = broken ? [] : net.layers[l].sums;
        bars(row[k].paths, sums);
        row[k].deviation.textContent = broken ? "–" : told(deviation(sums));
      });
    });
    loss.show(nets.map(({ losses }) => losses));
    const recent = nets.map(({ losses, broken }) => {
      const last = losses.slice(-10);
      return broken ? "diverged" : (last.reduce((sum, one) => sum + one, 0) / last.length).toFixed(2);
    });
    says.textContent = count
      ? `Step ${count}. Loss, mean of the last ${Math.min(count, 10)}: ${recent[0]} without batch normalization, ${recent[1]} with it.`
      : "Step 0: two networks with the same weights, on the same digits.";
  };

  const run = stepwise(root, {
    action: "Train", many: 50, every: 15, step, show, restart: build, setting: () => chosen.rate,
    save: () => nets.map(({ moves, broken }) => ({ state: moves.save(), broken })),
    load: (kept, count) => nets.forEach((one, k) => {
      one.moves.load(kept[k].state);
      [one.broken, one.losses] = [kept[k].broken, one.losses.slice(0, count)];
    }),
  });
  const start = chooser("initial weights, times He’s standard deviation: ", Object.keys(NAMES).map(Number).sort((a, b) => a - b), (scale) => {
    chosen.scale = scale;
    if (nets.length) run.again();
  }, (scale) => NAMES[scale]);
  start.press(chosen.scale);
  const rate = slider("learning rate", [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2], chosen.rate, (value) => { chosen.rate = value; });
  const more = element("div", "course-tools");
  more.append(rate, button("Other initial weights", () => {
    seed += 1;
    run.again();
  }));
  const both = element("div", "course-both");
  root.prepend(start.group, more, run.bar);
  root.append(both);
  both.append(root.querySelector("table"), loss.made);
  both.before(says);
  run.again();
});
