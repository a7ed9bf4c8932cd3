// Choose a number of layers and of units. Every network was trained before; without this the first
// one stands.
widgets("spirals", (root, { layers, units, pictures, right }) => {
  const image = root.querySelector("image");
  const says = root.querySelector("[role=status]");
  const chosen = { layers: layers[0], units: units[0] };
  const draw = () => {
    const key = `${chosen.layers} ${chosen.units}`;
    image.setAttribute("href", pictures[key]);
    const many = (count, name) => `${count} ${name}${count > 1 ? "s" : ""}`;
    says.textContent = `${many(chosen.layers, "hidden layer")} of ${many(chosen.units, "unit")}: `
      + `${right[key].toFixed(1)}% of new points right.`;
  };
  const tools = Object.entries({ layers, units }).map(([name, values]) => {
    const { group, press } = chooser(`${name}: `, values, (value) => {
      chosen[name] = value;
      draw();
    });
    press(values[0]);
    return group;
  });
  root.prepend(...tools);
});
