// Click pixels to turn them, or drag over them; the sentence weighs the one that the pointer or the
// keyboard is on.
widgets("weigh", (root, { weight, bias, examples, labels }) => {
  const signed = (value) => {
    const size = Math.abs(value).toFixed(1);
    return size === "0.0" ? size : `${value < 0 ? "−" : "+"}${size}`;
  };
  const a = (digit) => `${digit === 8 ? "an" : "a"} ${digit}`;
  let [number, on, pixels, before, own] = [0, 27, [], [], false]; // own: drawn by the reader
  const says = sentence();
  const { bars, show: showBar } = barChart(weight.length);
  const { board, cells, show } = pixelBoard(8, (pixel) => look(pixel));

  const draw = () => {
    const scores = weight.map((row, digit) => row.reduce((sum, w, k) => sum + w * pixels[k], bias[digit]));
    const top = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - top));
    const total = powers.reduce((sum, power) => sum + power);
    const [best, rival] = [...scores.keys()].sort((i, j) => scores[j] - scores[i]);
    cells.forEach((cell, k) => {
      show(k, pixels[k], `ink ${Math.round(100 * pixels[k])}%`, k === on);
      cell.toggleAttribute("data-on", k === on);
      cell.toggleAttribute("data-changed", pixels[k] !== before[k]);
    });
    const changed = pixels.filter((ink, k) => ink !== before[k]).length;
    scores.forEach((score, digit) => showBar(digit, powers[digit] / total, signed(score)));
    const sure = Math.min(99.9, (100 * powers[best]) / total).toFixed(1);
    says.textContent = (labels.length && !own ? `This is ${a(labels[number])}. ` : "")
      + `The model predicts ${a(best)} (${sure}%); its score is ${(scores[best] - scores[rival]).toFixed(1)} above that of the ${rival}. `
      + `${changed || "No"} pixel${changed === 1 ? "" : "s"} changed. `
      + `Ink at row ${Math.floor(on / 8) + 1}, column ${(on % 8) + 1} adds ${signed(weight[best][on])} to the ${best} `
      + `and ${signed(weight[rival][on])} to the ${rival}.`;
  };
  const look = (pixel) => {
    on = pixel;
    draw();
  };
  const show64 = (given, drawn = false) => {
    own = drawn;
    before = given;
    pixels = [...before];
    draw();
  };
  const load = (next) => {
    number = next % examples.length;
    show64([...examples[number]].map((level) => parseInt(level, 36) / 16));
  };

  strokes(board, cells, (pixel) => Number(pixels[pixel] < 0.5), (pixel, ink) => {
    pixels[pixel] = ink;
    look(pixel);
    if (own) keepDigit(pixels);
  });
  board.addEventListener("pointerover", (event) => {
    const pixel = cells.indexOf(event.target);
    if (pixel >= 0 && event.pointerType === "mouse") look(pixel);
  });
  const mine = myDigit((kept) => show64(kept, true));
  const tools = [
    button("next picture", () => load(number + 1)),
    button("one pixel to the right", () => {
      pixels = pixels.map((_, k) => (k % 8 ? pixels[k - 1] : 0));
      draw();
    }),
    button("as it was", () => (own ? show64(before, true) : load(number))),
    button("draw my own", () => show64(new Array(64).fill(0), true)),
    mine,
  ];
  laidOut(root, tools, board, bars, says);
  load(0);
});
