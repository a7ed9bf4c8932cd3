// Trains small networks in the browser: dense layers, batch normalization, two losses, four optimizers. All
// numbers are doubles in flat arrays, rows of a batch one after another; tests/book/test_engine.py compares every
// loss with PyTorch's. After it comes what widgets that train share.
const Engine = (() => {
  // Uniform numbers from [0, 1) for a seed (mulberry32), and normal ones from them (Box and Muller).
  const random = (seed) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = (uniform) => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());

  // The value of an activation, and its slope as a function of the value.
  const ACTIVATIONS = {
    identity: [(a) => a, () => 1],
    relu: [(a) => (a > 0 ? a : 0), (o) => (o > 0 ? 1 : 0)],
    tanh: [Math.tanh, (o) => 1 - o * o],
    sigmoid: [(a) => 1 / (1 + Math.exp(-a)), (o) => o * (1 - o)],
  };
  const EPS = 1e-5; // of batch normalization

  // A network: `weights` holds all parameters, of which each layer has views. `norm` puts batch normalization
  // before each activation; it uses the batch at hand.
  const network = ({ sizes, activation = "relu", norm = false }) => {
    const last = sizes.length - 2;
    const shapes = sizes.slice(1).map((outputs, l) => {
      const normed = norm && l < last ? outputs : 0;
      return { weight: outputs * sizes[l], bias: outputs, scale: normed, shift: normed };
    });
    const count = shapes.flatMap(Object.values).reduce((sum, size) => sum + size, 0);
    const [weights, gradients] = [new Float64Array(count), new Float64Array(count)];
    let from = 0;
    const layers = shapes.map((shape, l) => {
      const layer = { inputs: sizes[l], outputs: sizes[l + 1], norm: shape.scale > 0, activation: l < last ? activation : "identity", slope: {} };
      for (const [name, size] of Object.entries(shape)) {
        layer[name] = weights.subarray(from, from + size);
        layer.slope[name] = gradients.subarray(from, from + size);
        from += size;
      }
      layer.scale.fill(1);
      return layer;
    });
    return { sizes, weights, gradients, layers };
  };

  // Starts: uniform as `nn.Linear` has it, or normal with a standard deviation for each number of inputs.
  const uniformly = ({ layers }, seed) => {
    const uniform = random(seed);
    for (const { inputs, weight, bias } of layers) {
      for (const part of [weight, bias]) part.forEach((_, k) => { part[k] = (2 * uniform() - 1) / Math.sqrt(inputs); });
    }
  };
  const normally = ({ layers }, seed, deviation) => {
    const uniform = random(seed);
    for (const { inputs, weight } of layers) weight.forEach((_, k) => { weight[k] = deviation(inputs) * normal(uniform); });
  };

  // Normalizes each of `width` columns over the batch; keeps what the way back needs.
  const normalize = (layer, sums, count) => {
    const { outputs: width, scale, shift } = layer;
    layer.standard = new Float64Array(sums.length);
    layer.inverse = new Float64Array(width);
    for (let j = 0; j < width; j += 1) {
      let [mean, square] = [0, 0];
      for (let k = j; k < sums.length; k += width) mean += sums[k] / count;
      for (let k = j; k < sums.length; k += width) square += (sums[k] - mean) ** 2 / count;
      layer.inverse[j] = 1 / Math.sqrt(square + EPS);
      for (let k = j; k < sums.length; k += width) {
        layer.standard[k] = (sums[k] - mean) * layer.inverse[j];
        sums[k] = scale[j] * layer.standard[k] + shift[j];
      }
    }
  };
  // The gradient of what was normalized, in place of that of the result.
  const normalizeBack = (layer, back, count) => {
    const { outputs: width, scale, slope, standard, inverse } = layer;
    for (let j = 0; j < width; j += 1) {
      let [sum, along] = [0, 0];
      for (let k = j; k < back.length; k += width) {
        sum += back[k];
        along += back[k] * standard[k];
      }
      slope.shift[j] = sum;
      slope.scale[j] = along;
      for (let k = j; k < back.length; k += width) {
        back[k] = scale[j] * inverse[j] * (back[k] - (sum + standard[k] * along) / count);
      }
    }
  };

  // The scores of a batch. Each layer keeps its `input`, `sums` (what the activation gets) and `output`.
  const forward = ({ layers }, x) => {
    for (const layer of layers) {
      const { inputs, outputs, weight, bias } = layer;
      const count = x.length / inputs;
      const sums = new Float64Array(count * outputs);
      for (let row = 0; row < count; row += 1) {
        for (let j = 0; j < outputs; j += 1) {
          let sum = bias[j];
          for (let i = 0, w = j * inputs, k = row * inputs; i < inputs; i += 1) sum += weight[w + i] * x[k + i];
          sums[row * outputs + j] = sum;
        }
      }
      if (layer.norm) normalize(layer, sums, count);
      [layer.input, layer.sums, layer.output] = [x, sums, sums.map(ACTIVATIONS[layer.activation][0])];
      x = layer.output;
    }
    return x;
  };

  // From the gradient of the scores to those of all parameters, after `forward`.
  const backward = ({ layers }, back) => {
    for (let l = layers.length - 1; l >= 0; l -= 1) {
      const layer = layers[l];
      const { inputs, outputs, weight, slope, input, output } = layer;
      const count = input.length / inputs;
      const steep = ACTIVATIONS[layer.activation][1];
      for (let k = 0; k < back.length; k += 1) back[k] *= steep(output[k]);
      if (layer.norm) normalizeBack(layer, back, count);
      const below = new Float64Array(input.length);
      slope.weight.fill(0);
      slope.bias.fill(0);
      for (let row = 0; row < count; row += 1) {
        for (let j = 0; j < outputs; j += 1) {
          const here = back[row * outputs + j];
          if (!here) continue;
          slope.bias[j] += here;
          for (let i = 0, w = j * inputs, k = row * inputs; i < inputs; i += 1) {
            slope.weight[w + i] += here * input[k + i];
            below[k + i] += here * weight[w + i];
          }
        }
      }
      back = below;
    }
  };

  // Each loss is a mean: its value, and its gradient with respect to the scores. Labels are classes, targets numbers.
  const LOSSES = {
    "cross-entropy": (scores, labels) => {
      const width = scores.length / labels.length;
      const back = new Float64Array(scores.length);
      let loss = 0;
      labels.forEach((label, row) => {
        const own = scores.subarray(row * width, (row + 1) * width);
        const top = Math.max(...own);
        const total = own.reduce((sum, score) => sum + Math.exp(score - top), 0);
        loss += (Math.log(total) + top - own[label]) / labels.length;
        own.forEach((score, k) => {
          back[row * width + k] = (Math.exp(score - top) / total - (k === label)) / labels.length;
        });
      });
      return { loss, back };
    },
    "squared error": (scores, targets) => {
      const back = scores.map((score, k) => (2 * (score - targets[k])) / scores.length);
      return { loss: scores.reduce((sum, score, k) => sum + (score - targets[k]) ** 2, 0) / scores.length, back };
    },
  };

  // Each optimizer changes numbers by their gradients; `memory` has two more arrays of the same length.
  const STEPS = {
    SGD: (w, g, _, rate) => w.forEach((_, k) => { w[k] -= rate * g[k]; }),
    momentum: (w, g, { first }, rate, { momentum = 0.9 } = {}) => w.forEach((_, k) => {
      first[k] = momentum * first[k] + g[k];
      w[k] -= rate * first[k];
    }),
    RMSProp: (w, g, { second }, rate, { alpha = 0.99, eps = 1e-8 } = {}) => w.forEach((_, k) => {
      second[k] = alpha * second[k] + (1 - alpha) * g[k] ** 2;
      w[k] -= (rate * g[k]) / (Math.sqrt(second[k]) + eps);
    }),
    Adam: (w, g, { first, second, count }, rate, { betas = [0.9, 0.999], eps = 1e-8 } = {}) => w.forEach((_, k) => {
      first[k] = betas[0] * first[k] + (1 - betas[0]) * g[k];
      second[k] = betas[1] * second[k] + (1 - betas[1]) * g[k] ** 2;
      const [mean, square] = [first[k] / (1 - betas[0] ** count), second[k] / (1 - betas[1] ** count)];
      w[k] -= (rate * mean) / (Math.sqrt(square) + eps);
    }),
  };
  // An optimizer of `weights`, which `step` changes in place.
  const optimizer = (kind, weights, settings) => {
    const memory = { first: new Float64Array(weights.length), second: new Float64Array(weights.length), count: 0 };
    const step = (gradients, rate) => {
      memory.count += 1;
      STEPS[kind](weights, gradients, memory, rate, settings);
    };
    const save = () => ({ weights: weights.slice(), first: memory.first.slice(), second: memory.second.slice(), count: memory.count });
    const load = (kept) => {
      weights.set(kept.weights);
      memory.first.set(kept.first);
      memory.second.set(kept.second);
      memory.count = kept.count;
    };
    return { step, save, load, memory };
  };

  // One step of training on a batch; the loss before it.
  const train = (net, moves, x, y, rate, lossName = "cross-entropy") => {
    const { loss, back } = LOSSES[lossName](forward(net, x), y);
    backward(net, back);
    moves.step(net.gradients, rate);
    return loss;
  };

  // Loss and share of right answers, without a step.
  const evaluate = (net, x, labels) => {
    const scores = forward(net, x);
    const width = scores.length / labels.length;
    let right = 0;
    labels.forEach((label, row) => {
      const own = scores.subarray(row * width, (row + 1) * width);
      right += own.indexOf(Math.max(...own)) === label;
    });
    return { loss: LOSSES["cross-entropy"](scores, labels).loss, right: right / labels.length };
  };

  return { random, normal, network, uniformly, normally, forward, backward, optimizer, train, evaluate };
})();

// A chart of lines over steps. `show` gets a list of values for each line, one for each step.
const chart = (names, { high, ylabel, alt, level }) => {
  const [LEFT, TOP, WIDE, TALL] = [44, 12, 262, 140];
  const made = element("div", "course-chart");
  made.innerHTML = `<svg viewBox="0 0 320 200" fill="currentColor" role="img" aria-label="${alt}"></svg>`;
  const [svg] = made.children;
  const text = (x, y, words, more = {}) => {
    const one = drawn(svg, "text", { x, y, "text-anchor": "middle", ...more });
    one.textContent = words;
    return one;
  };
  const up = (value) => TOP + TALL * (1 - Math.min(value, high) / high);
  drawn(svg, "path", { d: `M${LEFT} ${TOP}V${TOP + TALL}H${LEFT + WIDE}`, class: "course-axis" });
  for (const value of [0, high / 2, high]) text(LEFT - 6, up(value) + 4, Number(value.toFixed(2)), { "text-anchor": "end" });
  if (level) drawn(svg, "path", { d: `M${LEFT} ${up(level)}h${WIDE}`, class: "course-level" });
  text(0, 0, ylabel, { transform: `translate(11 ${TOP + TALL / 2}) rotate(-90)` });
  text(LEFT + WIDE / 2, 196, "steps");
  const ends = [0, 1, 2].map((k) => text(LEFT + (WIDE * k) / 2, 170, "", { "text-anchor": k === 2 ? "end" : "middle" }));
  const lines = names.map((_, k) => drawn(svg, "path", { class: `course-line-${k}` }));
  const key = element("p", "course-key");
  names.forEach((one, k) => key.append(element("span", `course-key-${k}`, one), " "));
  made.append(key);
  const show = (all) => {
    const most = Math.max(100, ...all.map((values) => values.length - 1));
    const unit = 10 ** Math.floor(Math.log10(most));
    const last = [1, 2, 4, 6, 8, 10].map((times) => times * unit).find((one) => one >= most);
    ends.forEach((one, k) => { one.textContent = ((last * k) / 2).toLocaleString("en"); });
    all.forEach((values, line) => {
      const every = Math.max(1, Math.ceil(values.length / 250));
      const places = [...values.keys()].filter((k) => (k % every === 0 || k === values.length - 1) && Number.isFinite(values[k]));
      lines[line].setAttribute("d", places.map((k, n) => `${n ? "L" : "M"}${(LEFT + (WIDE * k) / last).toFixed(1)} ${up(values[k]).toFixed(1)}`).join(""));
    });
  };
  return { made, show };
};
