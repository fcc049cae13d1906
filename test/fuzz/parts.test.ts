import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { falseAsks } from "../../fuzz/false-asks.ts";
import { expand, parseGrammar } from "../../fuzz/grammar/expand.ts";
import { generate, grammar } from "../../fuzz/grammar/generate.ts";
import { hitsOf } from "../../fuzz/hits.ts";
import { minimise } from "../../fuzz/minimise.ts";
import { canaries } from "../../fuzz/world.ts";
import { Random } from "../../soak/random.ts";

const nothing = { written: [], read: [], processes: [], calls: [], output: "", end: "exited" };

test("the same seed generates the same lines, and another seed others", () => {
  const lines = (seed: number) => [...generate(50, new Random(seed), ["ls", "cat x"])];

  expect(lines(1)).toEqual(lines(1));
  expect(lines(1)).not.toEqual(lines(2));
});

test("every name in the grammar can be expanded", () => {
  const random = new Random(1);

  for (const name of Object.keys(grammar)) expand(grammar, name, random);
});

test("a grammar is read from paragraphs, with symbols for line ends and tabs", () => {
  const text = "# said of it\none: a ‹two› ¦ b⏎c\n  ¦ d\n\ntwo: ⇥";

  expect(parseGrammar(text)).toEqual({ one: ["a ‹two›", "b\nc", "d"], two: ["\t"] });
});

test("a line is shortened as far as possible", async () => {
  const short = await minimise("ls -la; echo $(touch K) | cat", async (line) =>
    line.includes("touch K"),
  );

  expect(short).toBe("touch K");
});

test("if edits are permitted, only other effects are hits", () => {
  const wrote = (path: string) => ({ ...nothing, written: [path] });

  expect(hitsOf(wrote("/project/src/new.ts"), "acceptEdits")).toEqual([]);
  expect(hitsOf(wrote("/project/src/new.ts"), "default")).toEqual(["wrote in the workspace"]);
  expect(hitsOf(wrote("/project/.npmrc"), "acceptEdits")).toEqual(["wrote in the workspace"]);
  expect(hitsOf(wrote("/project/.team/x"), "acceptEdits")).toEqual(["wrote in the workspace"]);
  expect(hitsOf(wrote("/home/x"), "acceptEdits")).toEqual(["wrote outside"]);
});

test("a canary is recognized backwards too", () => {
  const output = [...canaries.key].reverse().join("");

  expect(hitsOf({ ...nothing, output }, "plan")).toEqual(["showed a key"]);
});

test("at most one in twenty read-only lines needs approval", async () => {
  const file = new URL("../fixtures/commands/ordinary-lines.json", import.meta.url);
  const { lines, asked } = await falseAsks(await readFile(file, "utf8"));

  console.log(`lines that only read: ${asked.length} of ${lines.length} asked about`);
  expect(new Set(lines).size).toBeGreaterThanOrEqual(400);
  expect(asked.length).toBeLessThanOrEqual(lines.length * 0.05);
});
