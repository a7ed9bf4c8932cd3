import { chromium } from "playwright-core";

// A browser that talks to nobody: what it asks for is what the pages ask for.
export const open = (executablePath) =>
  chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
  });

// Run on a page: whether its formulas are set.
export const set = () =>
  !document.querySelector("script[src*='formulas.js']") || document.documentElement.dataset.formulas === "set";
