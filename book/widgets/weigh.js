// Click a pixel to turn it; the sentence weighs the one that the pointer or the keyboard is on.
widgets("weigh", (root, { weight, bias, examples }) => {
  const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
  let [number, on, pixels] = [0, 27, []];
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
    });
    scores.forEach((score, digit) => showBar(digit, powers[digit] / total, signed(score)));
    const sure = Math.min(99.9, (100 * powers[best]) / total).toFixed(1);
    says.textContent = `It reads ${best === 8 ? "an" : "a"} ${best} (${sure}%), `
      + `${(scores[best] - scores[rival]).toFixed(1)} ahead of the ${rival}. `
      + `Ink at row ${Math.floor(on / 8) + 1}, column ${(on % 8) + 1} adds ${signed(weight[best][on])} to the ${best} `
      + `and ${signed(weight[rival][on])} to the ${rival}.`;
  };
  const look = (pixel) => {
    on = pixel;
    draw();
  };
  const load = (next) => {
    number = next % examples.length;
    pixels = [...examples[number]].map((level) => parseInt(level, 36) / 16);
    draw();
  };

  board.addEventListener("click", (event) => {
    const pixel = cells.indexOf(event.target);
    if (pixel < 0) return;
    pixels[pixel] = pixels[pixel] < 0.5 ? 1 : 0;
    look(pixel);
  });
  board.addEventListener("pointerover", (event) => {
    const pixel = cells.indexOf(event.target);
    if (pixel >= 0 && event.pointerType === "mouse") look(pixel);
  });
  const tools = [
    button("next picture", () => load(number + 1)),
    button("one pixel to the right", () => {
      pixels = pixels.map((_, k) => (k % 8 ? pixels[k - 1] : 0));
      draw();
    }),
    button("as it was", () => load(number)),
  ];
  laidOut(root, tools, board, bars, says);
  load(0);
});
