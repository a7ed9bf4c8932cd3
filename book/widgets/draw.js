// Draw with a brush of ink, paper or unknown: with the mouse, a finger, or Space and the arrow keys.
const NAMES = ["paper", "ink", "unknown"];
const [PAPER, INK, UNKNOWN] = NAMES.keys();

const logSumExp = (values) => {
  const top = Math.max(...values);
  return top + Math.log(values.reduce((sum, value) => sum + Math.exp(value - top), 0));
};

widgets("draw", (root, { coins, prior, examples, usual }) => {
  const pixels = new Array(64).fill(UNKNOWN);
  let [brush, on, next, own] = [INK, 0, 0, false]; // own: nothing of an example is left
  const says = sentence();
  const { bars, show: showBar } = barChart(coins.length);
  const { board, cells, show } = pixelBoard(8, (pixel) => {
    on = pixel;
    draw();
  });

  const draw = () => {
    const joint = coins.map((row, digit) => row.reduce((sum, p, k) => (
      pixels[k] === UNKNOWN ? sum : sum + Math.log(pixels[k] === INK ? p : 1 - p)
    ), prior[digit]));
    const evidence = logSumExp(joint);
    const posterior = joint.map((value) => Math.exp(value - evidence));
    cells.forEach((cell, k) => {
      const expected = coins.reduce((sum, row, digit) => sum + posterior[digit] * row[k], 0);
      const hidden = pixels[k] === UNKNOWN;
      const named = hidden ? `unknown, ink ${Math.round(100 * expected)}%` : NAMES[pixels[k]];
      show(k, hidden ? expected : pixels[k], named, k === on);
      cell.toggleAttribute("data-unknown", hidden);
    });
    posterior.forEach((share, digit) => showBar(digit, share, `${Math.round(100 * share)}%`));
    const unknown = pixels.filter((pixel) => pixel === UNKNOWN).length;
    const best = posterior.indexOf(Math.max(...posterior));
    const read = unknown === 64 ? "No pixel is known: the bars show the prior." : `It reads ${best === 8 ? "an" : "a"} ${best}.`;
    const value = minus((Math.round(10 * evidence) / 10 || 0).toFixed(1)); // no −0.0
    const [low, high] = usual.map((bound) => minus(bound.toFixed(0)));
    const dense = unknown ? `ln p(known pixels) = ${value} nats; ${unknown} pixels are unknown, and show their expected ink.`
      : `ln p(x) = ${value} nats; nine in ten real digits lie between ${low} and ${high}.`;
    says.textContent = `${read} ${dense}`;
  };
  const set = (make, from = own) => {
    own = from;
    pixels.forEach((_, k) => { pixels[k] = make(k); });
    draw();
  };

  strokes(board, cells, () => brush, (pixel, ink) => {
    on = pixel;
    pixels[on] = ink;
    draw();
    if (own) keepDigit(pixels.map((one) => Number(one === INK)));
  });

  const brushes = chooser("Brush: ", [INK, PAPER, UNKNOWN], (kind) => { brush = kind; }, (kind) => NAMES[kind]);
  const real = () => {
    const text = examples[next % examples.length];
    next += 1;
    set((k) => Number(text[k]), false);
  };
  const hide = () => set((k) => (k >= 32 ? UNKNOWN : pixels[k]));
  const mine = myDigit((kept) => set((k) => Math.round(kept[k]), true));
  const tools = [
    brushes.group,
    button("a real digit", real),
    button("hide the lower half", hide),
    button("the rest is paper", () => set((k) => (pixels[k] === UNKNOWN ? PAPER : pixels[k]))),
    button("start again", () => set(() => UNKNOWN, true)),
    mine,
  ];
  laidOut(root, tools, board, bars, says);
  brushes.press(INK);
  real();
  hide();
});
