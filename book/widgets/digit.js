// The digit that a reader has drawn, in 64 letters of ink from "0" to "g", is kept in the browser: drawn once, it goes
// into the other explorers. Where a browser keeps nothing, its button stays away.
const keepDigit = (pixels) => {
  try {
    localStorage.setItem("digit", pixels.map((ink) => "0123456789abcdefg"[Math.round(16 * ink)]).join(""));
    dispatchEvent(new Event("digit"));
  } catch { /* nothing is kept, then */ }
};
const keptDigit = () => {
  try {
    const found = localStorage.getItem("digit");
    return /^[0-9a-g]{64}$/.test(found) ? [...found].map((level) => parseInt(level, 17) / 16) : null;
  } catch {
    return null;
  }
};
const myDigit = (act) => {
  const made = button("use my digit", () => act(keptDigit()));
  const look = () => (made.hidden = !keptDigit());
  for (const when of ["digit", "storage"]) addEventListener(when, look); // drawn here, or on another page meanwhile
  look();
  return made;
};
