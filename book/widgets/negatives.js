// The scale of a batch is moved: cosines stay, and probabilities, losses and derivatives are computed here.
widgets("negatives", (root, { batches, scales, scale: begin, count }) => {
  const VIEWS = ["cosines", "p(image | caption)", "p(caption | image)", "gradient"];
  const says = root.querySelector("[role=status]");
  const rows = [...root.querySelectorAll("tbody tr")];
  const last = rows.pop();
  const pictures = [...root.querySelectorAll("thead i")];
  const size = rows.length;
  let [batch, scale, view] = [batches[0], begin, VIEWS[0]];

  const sum = (values) => values.reduce((total, one) => total + one, 0);
  const mean = (values) => sum(values) / values.length;
  const turned = (matrix) => matrix[0].map((_, k) => matrix.map((row) => row[k]));
  const softmax = (scores) => {
    const top = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - top));
    const total = sum(powers);
    return powers.map((power) => power / total);
  };
  const lost = (scores, k) => {
    const top = Math.max(...scores);
    return top + Math.log(sum(scores.map((score) => Math.exp(score - top)))) - scores[k];
  };
  const number = (value) => minus(value.toFixed(Math.abs(value) < 10 ? 2 : 1).replace("-0.00", "0.00"));
  const draw = () => {
    const scores = batch.cosines.map((row) => row.map((one) => scale * one));
    const ways = [scores, turned(scores)];
    const [images, captions] = [scores.map(softmax), turned(turned(scores).map(softmax))];
    const losses = ways.map((way) => way.map(lost));
    const slope = (i, k) => (scale * (images[i][k] + captions[i][k] - 2 * (i === k))) / (2 * size);
    const shown = { [VIEWS[0]]: (i, k) => batch.cosines[i][k], [VIEWS[1]]: (i, k) => images[i][k], [VIEWS[2]]: (i, k) => captions[i][k], [VIEWS[3]]: slope }[view];
    rows.forEach((row, i) => {
      const [head, ...cells] = row.children;
      head.textContent = batch.captions[i];
      cells.slice(0, size).forEach((cell, k) => {
        const value = shown(i, k);
        cell.textContent = number(value);
        cell.toggleAttribute("data-less", view === VIEWS[3] ? value > 0 : value < 0); // what is pushed apart
        cell.style.setProperty("--w", Math.min(Math.abs(value), 1).toFixed(2));
      });
      cells.at(-1).textContent = losses[0][i].toFixed(2);
    });
    [...last.children].slice(1, size + 1).forEach((cell, k) => { cell.textContent = losses[1][k].toFixed(2); });
    pictures.forEach((one, k) => one.style.setProperty("--at", (batches.indexOf(batch) * size + k) / (count - 1)));
    const wrong = ways.flatMap((way) => way.map((row, i) => Math.max(...softmax(row.filter((_, k) => k !== i)))));
    const push = mean([...images, ...turned(captions)].map((row, i) => 1 - row[i % size]));
    says.textContent = `Scale ${scale}: the loss is ${mean(losses.flat()).toFixed(2)}. Of the push on wrong partners, the most similar `
      + `one gets ${(100 * mean(wrong)).toFixed(0)}% on average; equal parts would be ${(100 / (size - 1)).toFixed(0)}%. All pushes add up to ${(scale * push).toFixed(2)}.`;
  };

  const move = slider("scale s", scales, scale, (to) => {
    scale = to;
    draw();
  });
  const kinds = chooser("Show:", VIEWS, (one) => {
    view = one;
    draw();
  });
  kinds.mark(view);
  const names = batches.map(({ name }) => name);
  const which = chooser("Batch:", names, (name) => {
    batch = batches[names.indexOf(name)];
    draw();
  });
  which.mark(names[0]);
  const tools = element("div", "course-tools");
  tools.append(move);
  root.append(element("p", "course-hint", "The gradient is by cosines: pairs in orange are pushed apart, those in blue pulled together."));
  root.prepend(tools, kinds.group, ...(names.length > 1 ? [which.group] : []));
  draw();
});
