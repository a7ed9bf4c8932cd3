// Type a text, see its tokens, and the merges that make them, one after another. Without this the text of the page stands.
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

  // The merges that this text needs, in the order of the table: one step of the player each.
  let used = [];
  const collect = () => {
    const parts = new Set();
    const visit = (token) => {
      if (token < 256 || parts.has(token - 256)) return;
      parts.add(token - 256);
      merges[token - 256].forEach(visit);
    };
    limit = merges.length;
    (field.value.match(PIECES) ?? []).flatMap(encode).forEach(visit);
    used = [...parts].sort((a, b) => a - b);
  };

  const show = (fresh = -1) => {
    const tokens = (field.value.match(PIECES) ?? []).flatMap(encode);
    cut.replaceChildren(
      ...tokens.map((token, place) => {
        const part = element("span", `t${place % 4}`, readable(token));
        part.title = `token ${token}`;
        part.toggleAttribute("data-fresh", token === fresh);
        return part;
      }),
    );
    const count = new TextEncoder().encode(field.value).length;
    const each = tokens.length ? (count / tokens.length).toFixed(1) : "–";
    const many = tokens.length === 1 ? "1 token" : `${tokens.length} tokens`;
    const [left, right] = fresh < 0 ? [] : merges[fresh - 256].map(readable);
    const merged = fresh < 0 ? "" : `Merge ${(fresh - 255).toLocaleString("en")}: ${left} + ${right} → ${readable(fresh)}. `;
    says.textContent = `${merged}${many} for ${count} bytes: ${each} bytes per token.`;
    film.mark(used.filter((place) => place < limit).length, used.length);
  };
  const film = player(root, {
    every: 450,
    name: "merge",
    go: (step) => {
      limit = step === used.length ? merges.length : step ? used[step - 1] + 1 : 0;
      mark(limit);
      show(step ? 256 + used[step - 1] : -1);
    },
  });

  const steps = [0, 50, 250, 1000, merges.length].filter(
    (count, place, all) => count <= merges.length && all.indexOf(count) === place,
  );
  const { group, press, mark } = chooser("Merges: ", steps, (count) => {
    limit = count;
    show();
  }, (count) => count.toLocaleString("en"));
  root.insertBefore(group, cut);
  root.insertBefore(film.bar, cut);
  field.addEventListener("input", () => {
    collect();
    press(merges.length);
  });
  collect();
  press(merges.length);
  root.querySelectorAll("[hidden]").forEach((part) => part.removeAttribute("hidden"));
});
