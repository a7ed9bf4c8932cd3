// The reader's own text runs through the model, which `_static/small_gpt/` holds: it is loaded when a reader asks
// for it. What stands there without this is the same pass over the text of the page.
widgets("machine", (root, { text }) => {
  const steps = [...root.querySelectorAll(".course-step")];
  const layers = [...root.querySelectorAll(".course-layer")];
  const maps = layers.map((layer) => [...layer.querySelectorAll("[data-map]")]);
  const [bars, says, chips] = [".course-bars", "[role=status]", ".course-chips"].map((one) => root.querySelector(one));
  const lenses = layers.map((layer) => layer.querySelector("summary span"));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const off = { positions: false, layers: new Set(), heads: layers.map(() => new Set()) };
  let [model, state, intact, tokens, costs] = [null, null, null, [], []];
  let [row, from, spent, canvases, note] = [0, 0, 0, [], ""];

  // ---- loading

  const folder = new URL(`${document.documentElement.dataset.content_root ?? "../"}_static/small_gpt/`, document.baseURI);
  const script = (name) => new Promise((done, failed) => {
    const made = Object.assign(element("script"), { src: new URL(name, folder).href, onload: done, onerror: failed });
    document.head.append(made);
  });
  let loading = null;
  const load = () => (loading ??= script("gpt.js")
    .then(() => script("weights.js"))
    .then(() => SmallGPT.model)
    .then((found) => {
      model = found;
      canvases = [...root.querySelectorAll("[data-name]")].flatMap((tensor) => [...tensor.children].map((cell, block) => {
        const canvas = element("canvas");
        Object.assign(canvas.dataset, { name: tensor.dataset.name, from: 64 * block });
        cell.replaceWith(canvas);
        return canvas;
      }));
      type();
    })
    .catch(() => {
      loading = null;
      step.textContent = "The model is not available: its weights are files of the website, which a notebook does not have.";
    }));

  // ---- the model

  const readable = (token) => {
    try {
      const found = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(model.bytes[token]));
      return found.replace(/[ \n\t]/g, (mark) => ({ " ": "␣", "\n": "⏎", "\t": "⇥" })[mark]);
    } catch {
      return model.bytes[token].map((byte) => `⟨${byte.toString(16).padStart(2, "0")}⟩`).join("");
    }
  };
  const changed = () => off.positions || off.layers.size || off.heads.some((heads) => heads.size);

  // Read all tokens, or with the cache those that are new.
  const pass = (again) => {
    if (again || !cache.checked) [state, costs] = [SmallGPT.room(model.sizes), []];
    from = state.tokens.length;
    for (const token of tokens.slice(from)) {
      const before = state.multiplyAdds;
      SmallGPT.read(model, state, token, off);
      costs.push(state.multiplyAdds - before);
    }
    spent += costs.slice(from).reduce((sum, cost) => sum + cost, 0);
    intact = null;
    if (changed()) {
      intact = SmallGPT.room(model.sizes);
      for (const token of tokens) SmallGPT.read(model, intact, token);
    }
    draw();
  };
  const type = () => {
    const found = model.encode(field.value);
    tokens = found.slice(0, model.sizes.longest);
    note = found.length > tokens.length ? ` Only the first ${tokens.length} tokens fit.` : "";
    if (!tokens.length) return (says.textContent = "Type at least one character.");
    [row, spent] = [tokens.length - 1, 0];
    pass(true);
  };
  const write = (count) => load().then(() => {
    if (!model || !tokens.length) return;
    for (; count > 0; count -= 1) {
      const chances = SmallGPT.next(model, state, tokens.length - 1, Number(heat.value));
      const full = tokens.length === model.sizes.longest;
      if (full) tokens = tokens.slice(1 - model.sizes.longest / 2); // as solutions.gpt.cached
      tokens.push(SmallGPT.draw(chances, Math.random()));
      note = full ? " All positions were in use: the older half of the text was dropped." : "";
      row = tokens.length - 1;
      pass(full);
    }
    field.value = model.decode(tokens);
  });

  // ---- drawing

  const numbers = (name) => {
    const [layer, part, head] = name.split(".");
    const found = part ? state.layers[layer][part] : state[layer];
    const { longest, num_heads, vocabulary } = model.sizes;
    if (part === "weights") return { found, width: tokens.length, at: (i, k) => (i * num_heads + Number(head)) * longest + k, scale: 1 };
    if (name === "logits") return { found, width: vocabulary, at: (_, k) => row * vocabulary + k, rows: 1 };
    const width = found.length / longest;
    return { found, width, at: (i, k) => i * width + k };
  };
  const scaleOf = ({ found, width, at, rows, scale }) => {
    if (scale) return scale;
    let sum = 0;
    for (let i = 0; i < rows; i += 1) for (let k = 0; k < width; k += 1) sum += found[at(i, k)] ** 2;
    return 2.5 * Math.sqrt(sum / rows / width) || 1;
  };
  const paint = () => {
    const style = getComputedStyle(root);
    const color = (name) => style.getPropertyValue(name).trim().match(/[\da-f]{2}/gi).map((two) => parseInt(two, 16));
    const [blue, orange] = [color("--blue"), color("--orange")];
    for (const canvas of canvases) {
      const tensor = { rows: tokens.length, ...numbers(canvas.dataset.name) };
      const scale = scaleOf(tensor);
      const first = Number(canvas.dataset.from);
      const wide = Math.min(64, tensor.width - first);
      Object.assign(canvas, { width: wide, height: tensor.rows });
      const picture = new ImageData(wide, tensor.rows);
      for (let i = 0; i < tensor.rows; i += 1) {
        const fresh = i >= from || tensor.rows === 1 || /\.[kv]$/.test(canvas.dataset.name) ? 255 : 90;
        for (let k = 0; k < wide; k += 1) {
          const value = tensor.found[tensor.at(i, first + k)];
          const alpha = fresh * Math.min(1, Math.abs(value) / scale);
          picture.data.set([...(value < 0 ? orange : blue), alpha], 4 * (i * wide + k));
        }
      }
      canvas.getContext("2d").putImageData(picture, 0, 0);
    }
  };

  const percent = (chance) => `${(100 * chance).toFixed(0)}%`;
  const best = (chances, count) => [...chances.keys()].sort((a, b) => chances[b] - chances[a]).slice(0, count);
  const chancesOf = (of) => SmallGPT.next(model, of, row, Number(heat.value));
  const listed = (chances) => best(chances, 3).filter((token) => chances[token] > 0)
    .map((token) => `“${readable(token)}” ${percent(chances[token])}`).join(", ");

  const tell = () => {
    const chances = chancesOf(state);
    const whole = intact && chancesOf(intact);
    bars.replaceChildren(...best(chances, bars.children.length).map((token) => {
      const [line, track, bar] = [element("div", "course-bar"), element("span"), element("i")];
      bar.style.setProperty("--share", chances[token].toFixed(4));
      track.append(bar);
      if (whole) {
        const mark = element("u");
        mark.style.setProperty("--share", whole[token].toFixed(4));
        track.append(mark);
      }
      line.append(element("b", "", readable(token)), track, element("span", "", percent(chances[token])));
      return line;
    }));
    lenses.forEach((lens, l) => {
      const found = SmallGPT.early(model, state, row, l);
      const [token] = best(found, 1);
      lens.textContent = `“${readable(token)}” ${percent(found[token])}`;
    });
    const came = tokens[row + 1];
    says.textContent = `Most likely after “${readable(tokens[row])}”: ${listed(chances)}.`
      + (whole ? ` With all parts in place: ${listed(whole)}.` : "")
      + (came === undefined ? "" : ` The text continues with “${readable(came)}”, ${percent(chances[came])}.`) + note;
    const [one, all] = [costs.at(-1), costs.reduce((sum, cost) => sum + cost, 0)];
    const count = (number) => number.toLocaleString("en");
    price.textContent = `Multiply-adds for this token: ${count(one)} with the cache, which reads one row; ${count(all)} `
      + `without it, which reads ${tokens.length}. Since you typed: ${count(spent)}.`;
    ahead.textContent = `next: ${readable(best(chancesOf(state), 1)[0])}`;
  };

  const draw = () => {
    root.style.setProperty("--n", tokens.length);
    root.style.setProperty("--row", row);
    const words = tokens.map(readable);
    for (const rows of root.querySelectorAll(".course-rows")) rows.replaceChildren(...words.map((word) => element("span", "", word)));
    chips.replaceChildren(...words.map((word, place) => {
      const chip = button(word, () => follow(place));
      chip.append(element("small", "", tokens[place]));
      chip.setAttribute("aria-pressed", place === row);
      return chip;
    }));
    for (const caption of root.querySelectorAll("figcaption span")) {
      if (caption.closest("[data-line]")) continue;
      const columns = caption.closest("[data-map]") ? tokens.length : caption.textContent.split(" × ")[1];
      caption.textContent = `${tokens.length} × ${columns}`;
    }
    layers.forEach((layer, l) => {
      layer.toggleAttribute("data-off", off.layers.has(l));
      maps[l].forEach((map, h) => map.toggleAttribute("data-off", off.heads[l].has(h)));
    });
    paint();
    tell();
  };
  const follow = (place) => {
    row = place;
    draw();
    chips.children[place].focus({ preventScroll: true });
  };

  // ---- controls

  const labeled = (name, made, ...more) => {
    const label = element("label", "", `${name} `);
    label.append(made, ...more);
    return label;
  };
  const input = (more) => Object.assign(element("input"), more);
  const toggle = (name, act) => {
    const made = button(name, () => {
      const kept = made.getAttribute("aria-pressed") === "false";
      made.setAttribute("aria-pressed", kept);
      act(!kept);
      load().then(() => model && pass(true));
    });
    made.setAttribute("aria-pressed", true);
    return made;
  };
  const among = (set, one) => (out) => (out ? set.add(one) : set.delete(one));

  const field = input({ type: "text", value: text, maxLength: 240, spellcheck: false, autocapitalize: "off" });
  field.addEventListener("focus", load);
  field.addEventListener("input", () => load().then(() => model && type()));
  const heat = input({ type: "range", min: 0, max: 2, step: 0.1, value: 1 });
  const warm = element("output", "", "1.0");
  heat.addEventListener("input", () => {
    warm.textContent = Number(heat.value).toFixed(1);
    load().then(() => model && tell());
  });
  const cache = input({ type: "checkbox", checked: true });
  cache.addEventListener("change", () => load().then(() => model && pass(true)));
  const price = element("p", "course-price");

  const tools = element("div", "course-tools course-keep", "In the model: ");
  tools.setAttribute("role", "group");
  tools.setAttribute("aria-label", "In the model");
  tools.append(
    toggle("positions", (out) => (off.positions = out)),
    ...layers.map((_, l) => toggle(`layer ${l + 1}`, among(off.layers, l))),
  );
  maps.forEach((some, l) => some.forEach((map, h) => {
    const made = toggle(`head ${h + 1}`, among(off.heads[l], h));
    made.ariaLabel = `layer ${l + 1}, head ${h + 1}`;
    map.querySelector("figcaption").firstChild.replaceWith(made, " ");
  }));
  const typed = labeled("Your text", field);
  typed.className = "course-typed";
  const writing = element("div", "course-tools");
  writing.append(
    button("Write a token", () => write(1)), button("Write ten", () => write(10)),
    labeled("temperature", heat, warm), labeled("KV cache", cache),
  );

  // ---- steps: buttons, a slider, the arrow keys, or scrolling

  const [bar, step, reads, ahead] = [element("div", "course-stepper"), element("b"), element("span", "course-reads"), element("span", "course-ahead")];
  const slide = input({ type: "range", min: 1, max: steps.length, value: 1 });
  slide.ariaLabel = "Step";
  let [now, held] = [0, 0];
  const nameOf = (one) => {
    const layer = layers.indexOf(one.closest(".course-layer"));
    return (layer < 0 ? "" : `Layer ${layer + 1}: `) + one.querySelector(".course-name b").textContent;
  };
  const mark = (to) => {
    now = within(to, steps.length);
    steps.forEach((one, place) => one.toggleAttribute("data-now", place === now));
    slide.value = now + 1;
    step.textContent = `${now + 1}/${steps.length} ${nameOf(steps[now])}`;
    slide.ariaValueText = step.textContent;
    [back.disabled, on.disabled] = [now === 0, now === steps.length - 1];
  };
  const go = (to) => {
    mark(to);
    held = performance.now() + 900; // its own scrolling chooses no step
    const box = steps[now].closest("details");
    if (box) box.open = true;
    steps[now].scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
    load();
  };
  const back = button("◂", () => go(now - 1));
  const on = button("▸", () => go(now + 1));
  [back.ariaLabel, on.ariaLabel] = ["Previous step", "Next step"];
  slide.addEventListener("input", () => go(slide.value - 1));
  root.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key]?.[1];
    if (!by || event.target.matches("input")) return;
    event.preventDefault();
    go(now + by);
  });
  const seen = new IntersectionObserver((found) => {
    const entered = found.filter((one) => one.isIntersecting);
    if (entered.length && performance.now() > held) mark(steps.indexOf(entered.at(-1).target));
  }, { rootMargin: "-35% 0px -60% 0px" });
  steps.forEach((one) => seen.observe(one));

  // the number under the pointer
  root.addEventListener("pointermove", ({ target, clientX, clientY }) => {
    reads.textContent = "";
    if (!model || !target.matches("canvas")) return;
    const box = target.getBoundingClientRect();
    const cell = (part, size, count) => within(Math.floor((part / size) * count), count);
    const [i, k] = [cell(clientY - box.top, box.height, target.height), cell(clientX - box.left, box.width, target.width)];
    const { found, at } = numbers(target.dataset.name);
    const place = Number(target.dataset.from) + k;
    const what = target.closest("figure").querySelector("figcaption").firstChild.textContent;
    const column = target.closest("[data-map]") ? `looks at ${readable(tokens[k])}` : target.closest("[data-line]") ? readable(place) : place + 1;
    const line = target.closest("[data-line]") ? tokens[row] : tokens[i];
    reads.textContent = `${what}, ${readable(line)}, ${column}: ${minus(found[at(i, place)].toFixed(2))}`;
  });
  root.addEventListener("click", ({ target }) => {
    const rows = target.closest(".course-rows");
    if (model && rows && rows !== target) follow([...rows.children].indexOf(target));
  });
  new MutationObserver(() => model && paint()).observe(document.documentElement, { attributeFilter: ["data-theme"] });

  bar.append(back, slide, on, step, reads, ahead);
  const top = element("div", "course-top");
  top.append(typed, writing, tools);
  root.querySelector(":scope > .course-steps").before(top, bar);
  says.after(price);
  mark(0);
});
