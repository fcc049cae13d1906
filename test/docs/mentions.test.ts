import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { slashCommands } from "../../src/cli/talk/slash-commands.ts";
import { registeredCommands } from "../support/registered-commands.ts";
import { allPages, fencesIn, spansIn } from "./pages/markdown-page.ts";
import { wrongMentions } from "./pages/mentions.ts";

const pages = allPages();

test.each(pages)("the commands and flags that $path mentions exist", async (page) => {
  expect(wrongMentions(page, await registeredCommands())).toEqual([]);
});

test("control: commands and flags that do not exist are found, others are not", async () => {
  const text = [
    '`troupe`, `troupe team --json`, `troupe log -f`, `troupe -p "…"`, `troupe --version`, `--model x`',
    '`troupe send lead -- "--none"`, `troupe <command> --help`, `npm test -- --watch`, `troupe/testing`',
    "`troupe tem`, `troupe team --model x`, `troupe log -x`, `troupe --output json`, `--none`",
    "```console\n$ troupe cost --jsn | jq --raw-output .\ntroupe none\n```",
    '```sh\ntroupe run "troupe none" \\\n  --none > none\n```',
  ].join("\n");

  expect(wrongMentions({ path: "page.md", text }, await registeredCommands())).toEqual([
    "troupe tem",
    "troupe team --model x",
    "troupe log -x",
    "troupe --output json",
    "troupe cost --jsn",
    "troupe run … --none",
    "--none",
  ]);
});

test.each(pages)("the npm scripts that $path mentions exist", ({ text }) => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync("package.json", "utf8")));
  const code = [...spansIn(text), ...fencesIn(text).map((fence) => fence.code)];
  const named = code.flatMap((each) => [...each.matchAll(/\bnpm run ([\w:-]+)/g)]);

  expect(named.flatMap(([, name = ""]) => (name in scripts ? [] : name))).toEqual([]);
});

test("the page about the screen has exactly the existing slash commands", () => {
  const page = pages.find(({ path }) => path === "docs/how-to/use-the-screen.md");
  const [list = ""] = /^- `\/…` .*?(?=^- )/ms.exec(page?.text ?? "") ?? [];
  const named = [...list.matchAll(/`\/(\w+)`/g)].map(([, name]) => name);

  expect(named.sort()).toEqual(slashCommands.map(({ name }) => name).sort());
});
