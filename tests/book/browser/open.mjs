import { chromium } from "playwright-core";

// A browser that talks to nobody: what it asks for is what the pages ask for.
export const open = (executablePath) =>
  chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
  });
