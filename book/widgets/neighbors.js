// Type a word, see its nearest neighbors. The table stands for one word without this.
widgets("neighbors", (root, { words, lists }) => {
  const field = root.querySelector("input");
  const cells = [...root.querySelectorAll("tbody td")];
  const says = root.querySelector("[role=status]");
  root.querySelector("datalist").append(...words.slice(1).map((word) => new Option(word)));

  const find = () => {
    const word = words.indexOf(field.value.trim().toLowerCase());
    says.textContent = "";
    if (word < 0) {
      cells.forEach((cell) => (cell.textContent = "–"));
      const near = words.filter((other) => field.value && other.startsWith(field.value.toLowerCase()));
      says.textContent = near.length
        ? `Words that begin like this: ${near.slice(0, 8).join(", ")}${near.length > 8 ? ", …" : ""}`
        : "This word is not in the vocabulary.";
      return;
    }
    lists.forEach((list, row) => {
      cells[row].textContent = list[word].map((other) => words[other]).join(", ");
    });
  };
  field.addEventListener("input", find);
  root.querySelector("button").addEventListener("click", () => {
    field.value = words[1 + Math.floor(Math.random() * (words.length - 1))];
    find();
  });
  root.querySelectorAll("[hidden]").forEach((part) => part.removeAttribute("hidden"));
});
