// Type a text, see its tokens. What stands there without this is the text of the page.
const SPACE = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const PIECES = new RegExp(
  `'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+` +
    `|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`,
  "gu",
);
const SHOWN = { " ": "␣", "\n": "⏎", "\t": "⇥" };

// The bytes in the order of their tokens: those that can be printed first.
const order = [];
for (let byte = 0; byte < 256; byte++) {
  if ((byte > 32 && byte < 127) || (byte > 160 && byte !== 173)) order.push(byte);
}
for (let byte = 0; byte < 256; byte++) if (!order.includes(byte)) order.push(byte);
const tokenOf = order.reduce((found, byte, token) => ((found[byte] = token), found), []);

widgets("tokens", (root, { merges }) => {
  const field = root.querySelector("textarea");
  const cut = root.querySelector(".course-cut");
  const says = root.querySelector("[role=status]");
  const rank = new Map(merges.map((pair, place) => [pair.join(), place]));
  const bytes = order.map((byte) => [byte]);
  for (const [left, right] of merges) bytes.push([...bytes[left], ...bytes[right]]);
  let limit = merges.length;

  const encode = (piece) => {
    let tokens = [...new TextEncoder().encode(piece)].map((byte) => tokenOf[byte]);
    for (;;) {
      let first = limit;
      for (let at = 0; at + 1 < tokens.length; at++) {
        first = Math.min(first, rank.get(`${tokens[at]},${tokens[at + 1]}`) ?? limit);
      }
      if (first === limit) return tokens;
      const [left, right] = merges[first];
      const merged = [];
      for (let at = 0; at < tokens.length; at++) {
        const here = tokens[at] === left && tokens[at + 1] === right;
        merged.push(here ? 256 + first : tokens[at]);
        if (here) at++;
      }
      tokens = merged;
    }
  };

  const readable = (token) => {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes[token]));
      return text.replace(/[ \n\t]/g, (mark) => SHOWN[mark]);
    } catch {
      return bytes[token].map((byte) => `⟨${byte.toString(16).padStart(2, "0")}⟩`).join("");
    }
  };

  const show = () => {
    const tokens = (field.value.match(PIECES) ?? []).flatMap(encode);
    cut.replaceChildren(
      ...tokens.map((token, place) => {
        const part = element("span", `t${place % 4}`, readable(token));
        part.title = `token ${token}`;
        return part;
      }),
    );
    const count = new TextEncoder().encode(field.value).length;
    const each = tokens.length ? (count / tokens.length).toFixed(1) : "–";
    const many = tokens.length === 1 ? "1 token" : `${tokens.length} tokens`;
    says.textContent = `${many} for ${count} bytes: ${each} bytes per token.`;
  };

  const steps = [0, 50, 250, 1000, merges.length].filter(
    (count, place, all) => count <= merges.length && all.indexOf(count) === place,
  );
  const { group, press } = chooser("Merges: ", steps, (count) => {
    limit = count;
    show();
  }, (count) => count.toLocaleString("en"));
  root.insertBefore(group, cut);
  field.addEventListener("input", show);
  press(merges.length);
  root.querySelectorAll("[hidden]").forEach((part) => part.removeAttribute("hidden"));
});
