// A prediction's result is covered until the reader asks for it. Without this it is open.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".course-answer").forEach((answer) => {
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
    button.addEventListener("click", () => {
      show();
      answer.tabIndex = -1;
      answer.focus();
    });
  });
});
