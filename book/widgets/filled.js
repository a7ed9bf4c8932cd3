// Choose a sentence, a token of it, and which side of the hole is read.
widgets("filled", (root, { start, sides, sentences }) => {
  let [number, place, side] = [0, start, 0];
  const [alt, line, bars, says] = root.children;
  const plain = (token) => token.replace("▁", "");
  const draw = () => {
    const { tokens, best, share } = sentences[number];
    [...line.children].forEach((one, index) => {
      one.setAttribute("aria-pressed", index === place);
      one.classList.toggle("course-unread", index !== place
        && ((side === 1 && index > place) || (side === 2 && index < place)));
    });
    [...bars.children].forEach((row, rank) => {
      row.firstElementChild.textContent = plain(best[place][side][rank]);
      row.classList.toggle("course-true", best[place][side][rank] === tokens[place]);
      row.querySelector("i").style.setProperty("--share", share[place][side][rank]);
      row.lastElementChild.textContent = share[place][side][rank].toFixed(3);
    });
    says.textContent = `The original token is “${plain(tokens[place])}”. Reading ${sides[side]}, the model gives it the probability `
      + `${sentences[number].true[place][side].toFixed(3)}.`;
  };
  const read = (index) => {
    number = index;
    line.replaceChildren(...sentences[index].tokens.map((token, at) => {
      const one = button(plain(token), () => {
        place = at;
        draw();
      });
      if (token.startsWith("▁")) one.className = "course-start";
      return one;
    }));
    place = Math.min(place, sentences[index].tokens.length - 1);
    stop(place);
    draw();
  };
  const stop = oneStop(line);
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", "the sentence, token by token");
  const texts = chooser("Sentence: ", sentences.map((_, index) => index), read, (index) => index + 1);
  const views = chooser("Read: ", sides.map((_, index) => index), (index) => {
    side = index;
    draw();
  }, (index) => sides[index]);
  alt.after(texts.group, views.group);
  texts.press(0);
  views.press(0);
});
