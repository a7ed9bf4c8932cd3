// The softmax is computed here, again for every place of the sliders.
widgets("temperature", (root, { words, scores }) => {
  const [width, heat, scale] = root.querySelectorAll("input");
  const outputs = root.querySelectorAll("output");
  const says = root.querySelector("[role=status]");
  const rows = [...root.querySelectorAll(".course-bar")];
  const draw = () => {
    const [d, tau] = [2 ** width.value, 2 ** heat.value];
    outputs[0].textContent = d;
    outputs[1].textContent = Number(tau.toPrecision(2));
    const z = scores.map((score) => (score * (scale.checked ? 1 : Math.sqrt(d))) / tau);
    const top = Math.max(...z);
    const powers = z.map((one) => Math.exp(one - top));
    const total = powers.reduce((sum, one) => sum + one);
    const weights = powers.map((one) => one / total);
    rows.forEach((row, k) => {
      row.querySelector("i").style.setProperty("--share", weights[k].toFixed(4));
      row.lastElementChild.textContent = weights[k].toFixed(2);
    });
    const entropy = weights.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
    const best = weights.indexOf(Math.max(...weights));
    const slope = weights[best] * (1 - weights[best]);
    says.textContent = `${words[best]} gets ${weights[best].toFixed(2)} of the weight; the weights are as spread out as `
      + `${Math.exp(entropy).toFixed(1)} equal ones of ${words.length}. `
      + `The derivative of that weight by its score is ${slope.toFixed(3)}.`;
  };
  for (const input of [width, heat, scale]) input.addEventListener("input", draw);
  root.querySelector("[hidden]").removeAttribute("hidden");
  draw();
});
