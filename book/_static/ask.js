// A prediction's result is covered until the reader asks for it, or has chosen an answer. Without
// this it is open, and the answers are a list.
document.addEventListener("DOMContentLoaded", () => {
  const strips = [...document.querySelectorAll(".course-ask")];
  const covered = [...document.querySelectorAll(".course-answer")].map((answer) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "course-asked";
    button.textContent = "Show the result";
    answer.before(button);
    answer.setAttribute("hidden", "until-found"); // a search inside of the page still finds it
    const show = () => {
      answer.removeAttribute("hidden");
      button.remove();
      window.dispatchEvent(new Event("resize")); // what measures itself can do so now
    };
    answer.addEventListener("beforematch", show);
    button.addEventListener("reveal", show); // by view.js, which moves nobody's focus
    button.addEventListener("click", () => {
      show();
      answer.tabIndex = -1;
      answer.focus();
    });
    return { answer, show };
  });

  strips.forEach((strip) => {
    const list = strip.querySelector(".course-choices");
    const after = ({ answer }) => strip.compareDocumentPosition(answer) & Node.DOCUMENT_POSITION_FOLLOWING;
    const result = covered.find(after);
    if (!list || !result) return;
    const buttons = [...list.children].map((choice) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.append(...(choice.querySelector("p") ?? choice).childNodes);
      choice.replaceChildren(button);
      return button;
    });
    const said = document.createElement("p");
    said.className = "course-said";
    said.setAttribute("role", "status");
    result.answer.before(said);
    buttons.forEach((button) => button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled")) return; // said is said
      buttons.forEach((other) => {
        other.setAttribute("aria-pressed", other === button);
        if (other !== button) other.setAttribute("aria-disabled", "true");
      });
      said.replaceChildren("You said: ", ...[...button.childNodes].map((part) => part.cloneNode(true)));
      result.show();
    }));
  });
});
