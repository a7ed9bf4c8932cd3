// Bundle codemirror.js into ../_vendor/codemirror, with the versions and licenses of what is in it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = new URL("../_vendor/codemirror/", import.meta.url);
const { metafile, outputFiles } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["codemirror.js"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  write: false,
});
const inputs = Object.values(metafile.outputs)[0].inputs; // what is left after unused parts are gone
const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
const names = new Set(used.map(([path]) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
const told = [...names].sort().map((name) => {
  const folder = new URL(`node_modules/${name}/`, import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL("package.json", folder)));
  return { title: `${name} ${version}`, license: readFileSync(new URL("LICENSE", folder), "utf-8").trim() };
});
mkdirSync(out, { recursive: true });
const banner = `// Made by make codemirror of ${told.map(({ title }) => title).join(", ")}; licenses in LICENSE.\n`;
writeFileSync(new URL("codemirror.min.js", out), banner + outputFiles[0].text);
const licenses = {};
for (const { title, license } of told) (licenses[license] ??= []).push(title);
const texts = Object.entries(licenses).map(([license, titles]) => `${titles.join(", ")}\n\n${license}\n`);
writeFileSync(new URL("LICENSE", out), texts.join("\n\n"));
