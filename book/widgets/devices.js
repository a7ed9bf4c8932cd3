// A training run divided among devices. What one holds is computed as `bytes_held` does it, the timetable as the chapter's solution.
widgets("devices", (root, { models, model, kept, tokens, capacity, choices, microbatches, plan }) => {
  const [WIDTH, ROW, LEFT, LEGIBLE, GIGA] = [640, 24, 30, 24, 1e9];
  const svg = root.querySelector("svg");
  const says = root.querySelector("[role=status]");
  const bars = [...root.querySelectorAll(".course-stack i")];
  const chosen = root.querySelector("caption");
  const cells = [...root.querySelectorAll("td")];
  const sum = (values) => values.reduce((total, one) => total + one, 0);
  const count = (number) => number.toLocaleString("en-US");
  const gigabytes = (size) => (size / GIGA).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

  const order = (stage) => {
    const { stages, microbatches: parts, schedule } = plan;
    const each = [...Array(parts).keys()];
    const ahead = schedule === "GPipe" ? parts : Math.min(parts, stages - 1 - stage);
    const back = schedule === "GPipe" ? each.reverse() : each;
    return [
      ...Array.from({ length: ahead }, (_, number) => `F${number}`),
      ...back.flatMap((number, k) => (ahead + k < parts ? [`F${ahead + k}`, `B${number}`] : [`B${number}`])),
    ];
  };
  const needs = (stage, job) => {
    if (job[0] === "F") return stage ? [`${stage - 1}${job}`] : [];
    const own = `${stage}F${job.slice(1)}`;
    return stage < plan.stages - 1 ? [own, `${stage + 1}${job}`] : [own];
  };
  const timetable = (orders) => {
    const [rows, done] = [orders.map(() => []), new Set()];
    const left = orders.map((jobs) => [...jobs]);
    while (left.some((jobs) => jobs.length)) {
      const started = left.map(([job], stage) => (job && needs(stage, job).every((one) => done.has(one)) ? job : ""));
      started.forEach((job, stage) => {
        rows[stage].push(job);
        if (job) done.add(`${stage}${left[stage].shift()}`);
      });
    }
    return rows;
  };

  const held = (jobs) => {
    const { stage, tensor, stages, devices, checkpoint } = plan;
    const [parameters, inLayer, layers, width] = models[model];
    const copies = devices / (tensor * stages);
    const whole = Math.floor(parameters / (tensor * stages));
    const part = Math.ceil(whole / copies);
    const state = [[3, 2], [2, 2], [1, 12]].map(([least, bytes]) => bytes * (stage >= least ? part : whole));
    if (stage === 3 && copies > 1) state[0] += 2 * Math.floor(inLayer / tensor);
    let [now, most] = [0, 0];
    for (const job of jobs) {
      now += job[0] === "F" ? 1 : -1;
      most = Math.max(most, now);
    }
    const input = tokens * width;
    const layer = input * (kept[0] + kept[1] / tensor);
    const all = most * (layers / stages);
    return [...state, 2 * (checkpoint ? all * input + layer : all * layer)];
  };

  const paint = (rows) => {
    const unit = (WIDTH - LEFT) / rows[0].length;
    const gap = Math.min(1.5, unit / 5);
    const paths = { F: "", B: "" };
    const [forward, backward] = svg.querySelectorAll("path");
    svg.querySelectorAll("text").forEach((one) => one.remove());
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${ROW * rows.length}`);
    const write = (text, x, y, more) => {
      drawn(svg, "text", { x, y, ...more }).textContent = text;
    };
    rows.forEach((row, stage) => {
      write(stage, LEFT / 2 - 4, ROW * stage + 17);
      row.forEach((job, time) => {
        if (!job) return;
        const x = LEFT + unit * time;
        paths[job[0]] += `M${x.toFixed(1)} ${ROW * stage + 1}H${(x + unit - gap).toFixed(1)}V${ROW * stage + ROW - 1}H${x.toFixed(1)}Z`;
        if (row.length <= LEGIBLE) write(job.slice(1), (x + unit / 2 - gap / 2).toFixed(1), ROW * stage + 17, { class: "course-job" });
      });
    });
    forward.setAttribute("d", paths.F);
    backward.setAttribute("d", paths.B);
  };

  const draw = () => {
    const orders = [...Array(plan.stages).keys()].map(order);
    const [rows, sizes] = [timetable(orders), held(orders[0])];
    const size = sum(sizes);
    const cut = (bytes) => Math.min(bytes, 2 * capacity) / (2 * capacity);
    sizes.forEach((_, k) => bars[k].style.setProperty("--share", (cut(sum(sizes.slice(0, k + 1))) - cut(sum(sizes.slice(0, k)))).toFixed(4)));
    [...sizes, size].forEach((one, k) => { cells[k].textContent = gigabytes(one); });
    root.toggleAttribute("data-over", size > capacity);
    root.toggleAttribute("data-far", size > 2 * capacity);
    paint(rows);
    const { devices, tensor, stages, stage, schedule, microbatches: parts, checkpoint } = plan;
    chosen.textContent = `${model} on ${count(devices)} devices: tensor ${tensor}, pipeline ${stages} `
      + `(${schedule}, ${parts} microbatch${parts === 1 ? "" : "es"}), ZeRO ${stage}${checkpoint ? ", checkpointing" : ""}`;
    const copies = devices / (tensor * stages);
    const waits = sum(rows.map((row) => row.filter((job) => !job).length)) / (rows.length * rows[0].length);
    const read = copies > 1 ? `${count(copies)} copies of the model read` : "One copy of the model, so ZeRO has nothing to divide, reads";
    says.textContent = `${read} ${count(copies * parts)} sequences per step. `
      + `A device of the first stage holds ${gigabytes(size)} GB, ${size > capacity ? `${gigabytes(size - capacity)} GB too much` : "which fits"}. `
      + `Each stage waits for ${(100 * waits).toFixed(1)}% of the time.`;
  };

  const set = (name) => (value) => {
    plan[name] = value;
    draw();
  };
  const tools = element("div", "course-settings");
  const choose = (label, values, first, act, text) => {
    const { group, mark } = chooser(`${label}: `, values, act, text);
    mark(first);
    tools.append(group);
  };
  choose("Model", Object.keys(models), model, (name) => {
    model = name;
    draw();
  });
  choose("Devices", choices.devices, plan.devices, set("devices"), count);
  choose("ZeRO stage", choices.stage, plan.stage, set("stage"));
  choose("Tensor parallel", choices.tensor, plan.tensor, set("tensor"));
  choose("Pipeline stages", choices.stages, plan.stages, set("stages"));
  choose("Schedule", ["GPipe", "1F1B"], plan.schedule, set("schedule"));
  const [label, box] = [element("label"), element("input")];
  Object.assign(box, { type: "checkbox", checked: plan.checkpoint });
  box.addEventListener("change", () => set("checkpoint")(box.checked));
  label.append(box, " checkpointing");
  const last = element("div", "course-tools");
  last.append(slider("microbatches", microbatches, plan.microbatches, set("microbatches")), label);
  tools.append(last);
  root.prepend(tools);
  root.append(element("p", "course-hint", "Not counted: communication. Stages 2 and 3 of ZeRO send for each microbatch."));
  draw();
});
