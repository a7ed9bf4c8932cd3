// Temperature, top-k, top-p and min-p, one after the other, as solutions/gpt.py has them.
widgets("filters", (root, { texts, tokens, logits }) => {
  const [heat, most, share, least] = root.querySelectorAll("input");
  const outputs = root.querySelectorAll("output");
  const says = root.querySelector("[role=status]");
  const rows = [...root.querySelectorAll(".course-bar")];
  let chosen = 0;
  const draw = () => {
    const tau = 2 ** heat.value;
    outputs[0].textContent = Number(tau.toPrecision(2));
    outputs[1].textContent = Number(most.value) === tokens.length ? "all" : most.value;
    outputs[2].textContent = share.value;
    outputs[3].textContent = least.value;
    const z = logits[chosen].map((one) => one / tau);
    const order = z.map((_, token) => token).sort((a, b) => z[b] - z[a] || a - b);
    const powers = z.map((one) => Math.exp(one - z[order[0]]));
    let kept = order.slice(0, Number(most.value));
    const sum = (some) => some.reduce((total, token) => total + powers[token], 0);
    const whole = sum(kept);
    if (share.value < 1) {
      let before = 0;
      kept = kept.filter((token) => {
        const stays = before < share.value * whole;
        before += powers[token];
        return stays;
      });
    }
    kept = kept.filter((token) => powers[token] >= least.value);
    const left = sum(kept);
    rows.forEach((row, place) => {
      const token = order[place];
      const p = kept.includes(token) ? powers[token] / left : 0;
      row.classList.toggle("course-out", p === 0);
      row.firstElementChild.textContent = tokens[token];
      row.querySelector("i").style.setProperty("--share", p.toFixed(4));
      row.lastElementChild.textContent = p.toFixed(3);
    });
    const entropy = kept.reduce((total, token) => {
      const p = powers[token] / left;
      return total - (p > 0 ? p * Math.log2(p) : 0);
    }, 0);
    const lost = 100 * (1 - left / sum(order));
    says.textContent = `${kept.length} of ${tokens.length} tokens are left, as uncertain as `
      + `${(2 ** entropy).toFixed(1)} equally likely ones. The tokens that were ruled out had `
      + `${lost.toFixed(1)}% of the probability.`;
  };
  const { group, press } = chooser("After: ", texts.map((_, index) => index), (index) => {
    chosen = index;
    root.querySelector(".course-text").firstChild.textContent = texts[index];
    draw();
  }, (index) => texts[index].trimStart().slice(-18));
  root.querySelector(".course-texts").replaceWith(group);
  for (const input of [heat, most, share, least]) input.addEventListener("input", draw);
  root.querySelector("[hidden]").removeAttribute("hidden");
  press(0);
});
