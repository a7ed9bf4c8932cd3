// Networks that the page gives in 8 bits: dense layers with ReLU, and 3×3 convolutions with ReLU and 2×2 max pooling.
const unpacked = ({ shape, levels, scales, bias }) => {
  const [outputs, inputs] = [shape[0], shape.slice(1).reduce((product, size) => product * size, 1)];
  const weights = Float64Array.from(Int8Array.from(atob(levels), (byte) => byte.charCodeAt(0)), (level, k) => level * scales[Math.floor(k / inputs)]);
  return { shape, outputs, inputs, weights, bias };
};

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
// A network of such layers: `run` has the outputs of all of them for 64 pixels, from below.
const network = (packed) => {
  const layers = packed.map(unpacked);
  const run = (pixels) => layers.reduce((found, layer, k) => {
    const x = found.at(-1) ?? pixels;
    return [...found, layer.shape.length === 4 ? convolved(x, layer) : dense(x, layer, k + 1 < layers.length)];
  }, []);
  return { layers, run };
};
const chancesOf = (scores) => {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const total = powers.reduce((sum, power) => sum + power);
  return powers.map((power) => power / total);
};
