// Draw a digit, or change a real one: the page's networks read it here. Of a single network the hidden units are shown,
// each with its weights, and with what it passes on.
widgets("reader", (root, { networks, examples }) => {
  const names = Object.keys(networks);
  const made = Object.fromEntries(names.map((name) => [name, network(networks[name])]));
  const below = made[names[0]].layers[0];
  const single = names.length === 1 && made[names[0]].layers.length === 2;

  let [pixels, chosen] = [[], names[0]];
  const says = sentence();
  const { bars, show: showBar } = barChart(10);
  const { board, real, tools } = digitBoard(examples, (given) => {
    pixels = given;
    draw();
  });

  const units = element("div", "course-hidden");
  units.setAttribute("role", "img");
  const tiles = single ? below.bias.map(() => {
    const [tile, canvas, output] = [element("span"), Object.assign(element("canvas"), { width: 8, height: 8 }), element("b")];
    tile.append(canvas, output);
    units.append(tile);
    return { tile, canvas, output };
  }) : [];
  const paintUnits = () => {
    const [blue, orange] = [colorOf(root, "--blue"), colorOf(root, "--orange")];
    tiles.forEach(({ canvas }, unit) => {
      const weights = below.weights.subarray(64 * unit, 64 * unit + 64);
      const most = Math.max(...weights.map(Math.abs));
      const picture = new ImageData(8, 8);
      weights.forEach((weight, k) => picture.data.set([...(weight > 0 ? blue : orange), (255 * Math.abs(weight)) / most], 4 * k));
      canvas.getContext("2d").putImageData(picture, 0, 0);
    });
  };

  const draw = () => {
    const told = names.map((name) => {
      const found = made[name].run(pixels);
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
