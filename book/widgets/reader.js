// Draw a digit, or change a real one: the page's networks read it here. Of a single network the hidden units are shown,
// each with its weights, and with what it passes on.
widgets("reader", (root, { networks, examples }) => {
  const unpacked = ({ shape, levels, scales, bias }) => {
    const [outputs, inputs] = [shape[0], shape.slice(1).reduce((product, size) => product * size, 1)];
    const weights = Float64Array.from(Int8Array.from(atob(levels), (byte) => byte.charCodeAt(0)), (level, k) => level * scales[Math.floor(k / inputs)]);
    return { shape, outputs, inputs, weights, bias };
  };
  const names = Object.keys(networks);
  const layers = Object.fromEntries(names.map((name) => [name, networks[name].map(unpacked)]));
  const single = names.length === 1 && layers[names[0]].length === 2;

  const dense = (x, { inputs, weights, bias }, relu) => bias.map((b, j) => {
    const sum = x.reduce((total, value, i) => total + weights[j * inputs + i] * value, b);
    return relu ? Math.max(sum, 0) : sum;
  });
  // 3×3 with padding 1, ReLU, and the largest of each 2×2
  const convolved = (x, { shape: [outputs, inputs], weights, bias }) => {
    const side = Math.sqrt(x.length / inputs);
    const half = side / 2;
    const made = new Array(outputs * half * half).fill(0); // nothing below zero passes
    const at = (channel, i, j) => (i < 0 || j < 0 || i >= side || j >= side ? 0 : x[(channel * side + i) * side + j]);
    for (let o = 0; o < outputs; o += 1) {
      for (let i = 0; i < side; i += 1) {
        for (let j = 0; j < side; j += 1) {
          let sum = bias[o];
          for (let c = 0; c < inputs; c += 1) {
            for (let k = 0; k < 9; k += 1) sum += weights[(o * inputs + c) * 9 + k] * at(c, i + Math.floor(k / 3) - 1, j + (k % 3) - 1);
          }
          const place = (o * half + (i >> 1)) * half + (j >> 1);
          made[place] = Math.max(made[place], sum);
        }
      }
    }
    return made;
  };
  // The outputs of all layers, from below.
  const run = (name) => layers[name].reduce((found, layer, k, all) => {
    const x = found.at(-1) ?? pixels;
    return [...found, layer.shape.length === 4 ? convolved(x, layer) : dense(x, layer, k + 1 < all.length)];
  }, []);
  const chancesOf = (scores) => {
    const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
    const total = powers.reduce((sum, power) => sum + power);
    return powers.map((power) => power / total);
  };

  let [pixels, number, on, own, chosen] = [[], 0, 27, false, names[0]]; // own: drawn by the reader
  const says = sentence();
  const { bars, show: showBar } = barChart(10);
  const { board, cells, show } = pixelBoard(8, (pixel) => {
    on = pixel;
    draw();
  });

  const units = element("div", "course-hidden");
  units.setAttribute("role", "img");
  const tiles = single ? layers[names[0]][0].bias.map(() => {
    const [tile, canvas, output] = [element("span"), Object.assign(element("canvas"), { width: 8, height: 8 }), element("b")];
    tile.append(canvas, output);
    units.append(tile);
    return { tile, canvas, output };
  }) : [];
  const paintUnits = () => {
    const [blue, orange] = [colorOf(root, "--blue"), colorOf(root, "--orange")];
    tiles.forEach(({ canvas }, unit) => {
      const weights = layers[names[0]][0].weights.subarray(64 * unit, 64 * unit + 64);
      const most = Math.max(...weights.map(Math.abs));
      const picture = new ImageData(8, 8);
      weights.forEach((weight, k) => picture.data.set([...(weight > 0 ? blue : orange), (255 * Math.abs(weight)) / most], 4 * k));
      canvas.getContext("2d").putImageData(picture, 0, 0);
    });
  };

  const draw = () => {
    cells.forEach((_, k) => show(k, pixels[k], `ink ${Math.round(100 * pixels[k])}%`, k === on));
    const told = names.map((name) => {
      const found = run(name);
      const chances = chancesOf(found.at(-1));
      const digit = chances.indexOf(Math.max(...chances));
      if (name === chosen) chances.forEach((share, k) => showBar(k, share, `${Math.round(100 * share)}%`));
      if (single) {
        const passed = found[0];
        tiles.forEach(({ tile, output }, unit) => {
          tile.style.setProperty("--on", (passed[unit] / Math.max(...passed, 1e-9)).toFixed(3));
          output.textContent = passed[unit].toFixed(1);
        });
        units.ariaLabel = `${passed.filter((value) => value > 0).length} of ${passed.length} hidden units pass something on`;
      }
      return `${name} reads ${digit === 8 ? "an" : "a"} ${digit} (${Math.min(99.9, 100 * chances[digit]).toFixed(1)}%)`;
    }).join("; ");
    says.textContent = `${told[0].toUpperCase()}${told.slice(1)}.`;
  };
  const load = (given, drawn) => {
    [pixels, own] = [given, drawn];
    draw();
  };
  const real = () => load([...examples[number++ % examples.length]].map((level) => parseInt(level, 17) / 16), false);

  strokes(board, cells, (pixel) => Number(pixels[pixel] < 0.5), (pixel, ink) => {
    [pixels[pixel], on] = [ink, pixel];
    draw();
    if (own) keepDigit(pixels);
  });
  const mine = myDigit((kept) => load(kept, true));
  const tools = [button("a real digit", real), button("draw my own", () => load(new Array(64).fill(0), true)), mine];
  const alt = root.querySelector("p");
  laidOut(root, tools, board, bars, says);
  root.prepend(alt);
  if (names.length > 1) {
    const { group, press } = chooser("Bars of: ", names, (name) => {
      chosen = name;
      if (pixels.length) draw();
    });
    press(chosen);
    says.before(group);
  }
  real();
  if (single) {
    says.before(units);
    paintUnits();
    onTheme(paintUnits);
  }
});
