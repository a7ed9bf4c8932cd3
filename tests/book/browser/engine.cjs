// Trains networks with the pages' engine and writes their losses and parameters as JSON; tests/book/test_engine.py
// judges them.
//   node engine.cjs ENGINE < runs
const { readFileSync } = require("fs");
const engine = new Function(`${readFileSync(process.argv[2], "utf8")}; return Engine;`)();
const runs = JSON.parse(readFileSync(0, "utf8"));
const done = runs.map(({ sizes, activation, norm, weights, batches, optimizer, settings, rate, loss }) => {
  const net = engine.network({ sizes, activation, norm });
  net.weights.set(weights);
  const moves = engine.optimizer(optimizer, net.weights, settings);
  const losses = batches.map(([x, y]) => engine.train(net, moves, Float64Array.from(x), y, rate, loss));
  const middle = moves.save();
  const [x, y] = batches[0];
  const again = () => engine.train(net, moves, Float64Array.from(x), y, rate, loss) && Array.from(net.weights);
  const first = again();
  moves.load(middle);
  return { losses, weights: Array.from(middle.weights), same: JSON.stringify(again()) === JSON.stringify(first) };
});
const uniform = engine.random(1);
const normal = Array.from({ length: 20000 }, () => engine.normal(uniform));
process.stdout.write(JSON.stringify({ done, normal }));
