// What was written after each stage, for the prompt that is chosen.
widgets("stages", (root, { stages, prompts, answers, marks }) => {
  const cells = [...root.querySelectorAll("td")];
  const says = root.querySelector("[role=status]");
  const { group, press } = chooser("Prompt: ", prompts.map((_, index) => index), (index) => {
    const counts = stages.map((stage, row) => {
      cells[row].replaceChildren(...answers[row][index].map(([text, verdict]) => {
        const made = element("code", `course-${verdict.replace(" ", "-")}`, `${marks[verdict]}\u00a0${text}`);
        return made;
      }));
      return `${stage} ${answers[row][index].filter(([, verdict]) => verdict === "right").length}`;
    });
    says.textContent = `Right answers to ${prompts[index]}, of ${answers[0][index].length}: ${counts.join(", ")}.`;
  }, (index) => prompts[index]);
  root.querySelector(".course-prompts").replaceWith(group);
  press(0);
});
