// Type a word, see its nearest neighbors. The table stands for one word without this.
(() => {
  const start = (root) => {
    root.dataset.ready = "";
    const { words, lists } = JSON.parse(root.querySelector(".course-neighbor-lists").textContent);
    const field = root.querySelector("input");
    const cells = [...root.querySelectorAll("tbody td")];
    const status = root.querySelector("[role=status]");
    const options = root.querySelector("datalist");
    options.append(...words.slice(1).map((word) => new Option(word)));

    const find = () => {
      const word = words.indexOf(field.value.trim().toLowerCase());
      status.textContent = "";
      if (word < 0) {
        cells.forEach((cell) => (cell.textContent = "–"));
        const near = words.filter((other) => field.value && other.startsWith(field.value.toLowerCase()));
        status.textContent = near.length
          ? `Go on: ${near.slice(0, 8).join(", ")}${near.length > 8 ? ", …" : ""}`
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
  };
  document.querySelectorAll(".course-neighbors:not([data-ready])").forEach(start);
})();
