// The digit that a reader has drawn, in 64 letters of ink from "0" to "g", is kept in the browser: drawn once, it goes
// into the other explorers. Where a browser keeps nothing, its button stays away.
const keepDigit = (pixels) => {
  try {
    localStorage.setItem("digit", pixels.map((ink) => "0123456789abcdefg"[Math.round(16 * ink)]).join(""));
    dispatchEvent(new Event("digit"));
  } catch { /* nothing is kept, then */ }
};
const keptDigit = () => {
  try {
    const found = localStorage.getItem("digit");
    return /^[0-9a-g]{64}$/.test(found) ? [...found].map((level) => parseInt(level, 17) / 16) : null;
  } catch {
    return null;
  }
};
const myDigit = (act) => {
  const made = button("use my digit", () => act(keptDigit()));
  const look = () => (made.hidden = !keptDigit());
  for (const when of ["digit", "storage"]) addEventListener(when, look); // drawn here, or on another page meanwhile
  look();
  return made;
};

// A board on which a real digit is changed or an own one is drawn: `draw` gets its 64 pixels. It begins when `real` is
// called, after the widget is there.
const digitBoard = (examples, draw) => {
  let [pixels, number, on, own] = [[], 0, 27, false]; // own: drawn by the reader
  const { board, cells, show } = pixelBoard(8, (pixel) => {
    on = pixel;
    told();
  });
  const told = () => {
    cells.forEach((_, k) => show(k, pixels[k], `ink ${Math.round(100 * pixels[k])}%`, k === on));
    draw(pixels);
  };
  const load = (given, drawn) => {
    [pixels, own] = [given, drawn];
    told();
  };
  const real = () => load([...examples[number++ % examples.length]].map((level) => parseInt(level, 17) / 16), false);
  strokes(board, cells, (pixel) => Number(pixels[pixel] < 0.5), (pixel, ink) => {
    [pixels[pixel], on] = [ink, pixel];
    told();
    if (own) keepDigit(pixels);
  });
  const blank = button("draw my own", () => load(new Array(64).fill(0), true));
  return { board, cells, real, tools: [button("a real digit", real), blank, myDigit((kept) => load(kept, true))] };
};
