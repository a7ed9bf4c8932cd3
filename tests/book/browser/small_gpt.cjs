// Runs the page's GPT over tokens, and writes all of its tensors as JSON; tests/book/test_small_gpt.py judges them.
//   node small_gpt.cjs GPT WEIGHTS < what to read
require(process.argv[2]);
require(process.argv[3]);
const { tokens, off, texts, later } = JSON.parse(require("fs").readFileSync(0, "utf8"));
SmallGPT.model.then((model) => {
  const state = SmallGPT.room(model.sizes);
  const taken = { positions: off.positions, layers: new Set(off.layers), heads: off.heads.map((some) => new Set(some)) };
  const counts = tokens.map((token) => {
    const before = state.multiplyAdds;
    SmallGPT.read(model, state, token, taken);
    return state.multiplyAdds - before;
  });
  const listed = (part) => Array.from(part);
  const flat = (at) => Object.fromEntries(Object.entries(at).map(([name, part]) => [name, listed(part)]));
  const last = tokens.length - 1;
  process.stdout.write(JSON.stringify({
    counts, layers: state.layers.map(flat),
    ...flat({ embed: state.embed, positions: state.positions, x: state.x, norm: state.norm, logits: state.logits }),
    chances: [0, 0.7, 1].map((heat) => listed(SmallGPT.next(model, state, last, heat))),
    drawn: [0, 0.3, 0.999999].map((uniform) => SmallGPT.draw(SmallGPT.next(model, state, last), uniform)),
    early: state.layers.map((_, layer) => listed(SmallGPT.early(model, state, last, layer))),
    encoded: texts.map(model.encode),
    decoded: texts.map((text) => model.decode(model.encode(text))),
  }));
});
