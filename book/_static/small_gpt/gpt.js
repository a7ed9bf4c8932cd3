// A GPT in typed arrays: what `solutions.gpt.GPT` computes, tensor by tensor, and the tokenizer before it.
// Loaded by the page that shows it, when a reader asks for it; `weights.js` then calls SmallGPT.load.
globalThis.SmallGPT = (() => {
  const SPACE = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const PIECES = new RegExp(
    `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`,
    "gu",
  );

  // ---- the tokenizer: token i < 256 is one byte, those that can be printed first; 256 + k is what merge k makes

  const tokenizer = (flat) => {
    const printed = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    const all = [...Array(256).keys()];
    const order = [...all.filter(printed), ...all.filter((byte) => !printed(byte))];
    const number = [];
    order.forEach((byte, token) => (number[byte] = token));
    const bytes = order.map((byte) => [byte]);
    const rank = new Map();
    for (let k = 0; 2 * k < flat.length; k += 1) {
      const [left, right] = [flat[2 * k], flat[2 * k + 1]];
      rank.set(`${left},${right}`, k);
      bytes.push([...bytes[left], ...bytes[right]]);
    }
    const encodePiece = (piece) => {
      let tokens = [...new TextEncoder().encode(piece)].map((byte) => number[byte]);
      for (;;) {
        let first = Infinity;
        for (let at = 0; at + 1 < tokens.length; at += 1) {
          first = Math.min(first, rank.get(`${tokens[at]},${tokens[at + 1]}`) ?? Infinity);
        }
        if (first === Infinity) return tokens;
        const merged = [];
        for (let at = 0; at < tokens.length; at += 1) {
          const here = tokens[at] === flat[2 * first] && tokens[at + 1] === flat[2 * first + 1];
          merged.push(here ? 256 + first : tokens[at]);
          if (here) at += 1;
        }
        tokens = merged;
      }
    };
    return {
      encode: (text) => (text.match(PIECES) ?? []).flatMap(encodePiece),
      decode: (tokens) => new TextDecoder().decode(new Uint8Array(tokens.flatMap((token) => bytes[token]))),
      bytes,
    };
  };

  // ---- parts of the model; a matrix is one Float32Array, row by row

  const norm = (x, width, scale, shift, row, into) => {
    let [mean, variance] = [0, 0];
    for (let i = 0; i < width; i += 1) mean += x[row * width + i] / width;
    for (let i = 0; i < width; i += 1) variance += (x[row * width + i] - mean) ** 2 / width;
    const factor = 1 / Math.sqrt(variance + 1e-5);
    for (let i = 0; i < width; i += 1) {
      into[row * width + i] = (x[row * width + i] - mean) * factor * scale[i] + shift[i];
    }
  };

  // One row times a weight (outputs, inputs), and a bias if there is one.
  const linear = (x, inputs, weight, bias, row, into) => {
    const outputs = weight.length / inputs;
    for (let o = 0; o < outputs; o += 1) {
      let sum = bias ? bias[o] : 0;
      for (let i = 0; i < inputs; i += 1) sum += weight[o * inputs + i] * x[row * inputs + i];
      into[row * outputs + o] = sum;
    }
    return weight.length; // multiply-adds
  };

  const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

  // Zeros for every tensor of a pass over `longest` tokens.
  const room = ({ embed_dim: D, num_heads, num_layers, longest, vocabulary }) => {
    const made = (width) => new Float32Array(longest * width);
    const layer = () => ({
      norm: made(D), q: made(D), k: made(D), v: made(D), weights: made(num_heads * longest),
      heads: made(D), out: made(D), x: made(D), norm2: made(D), hidden: made(4 * D), down: made(D), y: made(D),
    });
    return {
      tokens: [], multiplyAdds: 0, embed: made(D), positions: made(D), x: made(D),
      layers: Array.from({ length: num_layers }, layer), norm: made(D), logits: made(vocabulary),
    };
  };

  // Attention of one row, head by head: weights, (longest, heads, longest), and what they average.
  const attend = (at, row, { embed_dim: D, num_heads: H, longest }, off) => {
    const d = D / H;
    for (let h = 0; h < H; h += 1) {
      const place = (row * H + h) * longest;
      at.weights.fill(0, place, place + longest);
      at.heads.fill(0, row * D + h * d, row * D + (h + 1) * d);
      let most = -Infinity;
      for (let key = 0; key <= row; key += 1) {
        let score = 0;
        for (let i = h * d; i < (h + 1) * d; i += 1) score += at.q[row * D + i] * at.k[key * D + i];
        at.weights[place + key] = score / Math.sqrt(d);
        most = Math.max(most, at.weights[place + key]);
      }
      let total = 0;
      for (let key = 0; key <= row; key += 1) {
        at.weights[place + key] = Math.exp(at.weights[place + key] - most);
        total += at.weights[place + key];
      }
      for (let key = 0; key <= row; key += 1) {
        at.weights[place + key] /= total;
        if (off?.has(h)) continue; // the head is taken out: zeros go on
        for (let i = h * d; i < (h + 1) * d; i += 1) at.heads[row * D + i] += at.weights[place + key] * at.v[key * D + i];
      }
    }
    return 2 * D * (row + 1);
  };

  // One row through one layer. What is taken out adds zeros to the residual stream.
  const layerRow = (x, at, w, row, sizes, off) => {
    const D = sizes.embed_dim;
    let count = 0;
    norm(x, D, w["attention_norm.weight"], w["attention_norm.bias"], row, at.norm);
    for (const [name, into] of [["query", at.q], ["key", at.k], ["value", at.v]]) {
      count += linear(at.norm, D, w[`attention.${name}.weight`], w[`attention.${name}.bias`], row, into);
    }
    count += attend(at, row, sizes, off.heads);
    count += linear(at.heads, D, w["attention.output.weight"], w["attention.output.bias"], row, at.out);
    const kept = off.layer ? 0 : 1;
    for (let i = row * D; i < (row + 1) * D; i += 1) at.x[i] = x[i] + kept * at.out[i];
    norm(at.x, D, w["feed_forward_norm.weight"], w["feed_forward_norm.bias"], row, at.norm2);
    count += linear(at.norm2, D, w["feed_forward.up.weight"], w["feed_forward.up.bias"], row, at.hidden);
    for (let i = row * 4 * D; i < (row + 1) * 4 * D; i += 1) at.hidden[i] = gelu(at.hidden[i]);
    count += linear(at.hidden, 4 * D, w["feed_forward.down.weight"], w["feed_forward.down.bias"], row, at.down);
    for (let i = row * D; i < (row + 1) * D; i += 1) at.y[i] = at.x[i] + kept * at.down[i];
    return off.layer ? 0 : count;
  };

  // Read one token more. `off` says what is taken out: { positions, layers: Set, heads: [Set per layer] }.
  const read = (model, state, token, off = {}) => {
    const { weights, sizes } = model;
    const [row, D] = [state.tokens.length, sizes.embed_dim];
    if (row >= sizes.longest) throw new RangeError(`there are ${sizes.longest} positions`);
    state.tokens.push(token);
    for (let i = 0; i < D; i += 1) {
      state.embed[row * D + i] = weights["embed.weight"][token * D + i];
      state.positions[row * D + i] = off.positions ? 0 : weights.table[row * D + i];
      state.x[row * D + i] = state.embed[row * D + i] + state.positions[row * D + i];
    }
    let x = state.x;
    state.layers.forEach((at, l) => {
      const of = { layer: off.layers?.has(l), heads: off.heads?.[l] };
      state.multiplyAdds += layerRow(x, at, model.layers[l], row, sizes, of);
      x = at.y;
    });
    norm(x, D, weights["norm.weight"], weights["norm.bias"], row, state.norm);
    state.multiplyAdds += linear(state.norm, D, weights["embed.weight"], null, row, state.logits);
  };

  // Probabilities of what follows a row; temperature 0 puts all on the largest logit.
  const next = (model, state, row, temperature = 1) => {
    const V = model.sizes.vocabulary;
    return softmax(state.logits.subarray(row * V, (row + 1) * V), temperature);
  };

  // The same if the model ended after a layer: its stream, through the last norm and the table of tokens.
  const early = (model, state, row, layer) => {
    const { weights, sizes: { embed_dim: D, vocabulary } } = model;
    const [stream, logits] = [state.layers[layer].y.slice(row * D, (row + 1) * D), new Float32Array(vocabulary)];
    norm(stream, D, weights["norm.weight"], weights["norm.bias"], 0, stream);
    linear(stream, D, weights["embed.weight"], null, 0, logits);
    return softmax(logits, 1);
  };

  const softmax = (logits, temperature) => {
    const most = Math.max(...logits);
    if (temperature === 0) {
      const best = logits.indexOf(most);
      return Float64Array.from(logits, (_, token) => Number(token === best));
    }
    const chances = Float64Array.from(logits, (logit) => Math.exp((logit - most) / temperature));
    const total = chances.reduce((sum, chance) => sum + chance);
    return chances.map((chance) => chance / total);
  };

  // The first token up to which the probabilities sum to more than a uniform number.
  const draw = (chances, uniform) => {
    let sum = 0;
    const found = chances.findIndex((chance) => (sum += chance) > uniform);
    return found < 0 ? chances.length - 1 : found;
  };

  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  const unpack = ({ sizes, shapes, merges, scales, levels }) => {
    const scale = new Float32Array(bytesOf(scales).buffer);
    const level = new Int8Array(bytesOf(levels).buffer);
    const weights = {};
    let [row, at] = [0, 0];
    for (const [name, shape] of Object.entries(shapes)) {
      const width = shape.at(-1);
      const size = shape.reduce((a, b) => a * b);
      weights[name] = Float32Array.from({ length: size }, (_, i) => level[at + i] * scale[row + Math.floor(i / width)]);
      [row, at] = [row + size / width, at + size];
    }
    const layers = Array.from({ length: sizes.num_layers }, (_, l) => {
      const names = Object.keys(weights).filter((name) => name.startsWith(`layers.${l}.`));
      return Object.fromEntries(names.map((name) => [name.slice(`layers.${l}.`.length), weights[name]]));
    });
    return { sizes, weights, layers, ...tokenizer(merges) };
  };

  let arrived;
  const model = new Promise((done) => (arrived = done));
  return { load: (packed) => arrived(unpack(packed)), model, room, read, next, early, draw };
})();
