import { expect, test } from "vitest";
import { parseFrontMatter } from "../../src/lib/front-matter.ts";

test("the fields between the lines --- are read, and what follows is the body", async () => {
  const text = "---\nname: reviewer\nturns: 5\ntools: [a, b]\nok: yes\n---\nYou review.\n";

  expect(await parseFrontMatter(text)).toEqual({
    fields: { name: "reviewer", turns: 5, tools: ["a", "b"], ok: "yes" },
    body: "You review.\n",
  });
});

test("a byte order mark and lines that end in CR LF change nothing", async () => {
  expect(await parseFrontMatter("\uFEFF---\r\nname: a\r\n---\r\nText\r\n")).toEqual({
    fields: { name: "a" },
    body: "Text\r\n",
  });
});

test.each([
  ["no front matter", "Text\n---\nmore", "Text\n---\nmore"],
  ["an empty one", "---\n---\nText", "Text"],
  ["comments only", "---\n# nothing\n---\nText", "Text"],
])("a text with %s has no fields", async (_, text, body) => {
  expect(await parseFrontMatter(text)).toEqual({ fields: {}, body });
});

test("an unquoted text with colons is taken as it is written", async () => {
  const description = String.raw`Use this agent when: … <example>user: "Hi" # not a comment</example>\n`;

  const text = `---\nname: a\ndescription: ${description}\nturns: 5\n---\n`;

  expect(await parseFrontMatter(text)).toMatchObject({
    fields: { name: "a", description, turns: 5 },
  });
});

test.each(["[issue] [priority]", "[--fix] <file>", "@file to read", "`ls` output"])(
  "the unquoted text %j is taken as it is written",
  async (hint) => {
    const text = `---\nargument-hint: ${hint}\nlist: [a, b]\n---\n`;

    expect(await parseFrontMatter(text)).toEqual({
      fields: { "argument-hint": hint, list: ["a", "b"] },
      body: "",
    });
  },
);

test.each([
  ["no end", "---\nname: a\n", 'a line "---" is missing'],
  ["text that is no YAML", "---\nname: [a\nb: c\n---\n", "not valid YAML: "],
  ["a list", "---\n- a\n---\n", "no fields"],
  ["a name twice", "---\na: 1\na: 2\n---\n", '"a" more than once'],
  ["a name twice further inside", "---\nx: { a: 1, a: 2 }\n---\n", '"a" more than once'],
  ["an anchor", "---\na: &x 1\n---\n", "an anchor"],
  ["an alias", "---\na: *x\n---\n", "alias"],
  ["a tag", "---\na: !!binary x\n---\n", "a tag"],
  ["a merge key", "---\n<<: { a: 1 }\n---\n", '"<<"'],
  ["a list as a name", "---\n? [a]\n: 1\n---\n", "not a word"],
  ["a prototype", "---\na: { __proto__: { x: 1 } }\n---\n", '"__proto__"'],
  ["more than 64 KiB", `---\na: ${"x".repeat(64 * 1024)}\n---\n`, "more than 65536 bytes"],
])("front matter with %s is refused, with the reason", async (_, text, reason) => {
  expect(await parseFrontMatter(text)).toEqual({ problem: expect.stringContaining(reason) });
});

test("an error names the line of the file", async () => {
  expect(await parseFrontMatter("---\na: 1\nb: 2\n c: 3\n---\n")).toEqual({
    problem: expect.stringMatching(/at line 3/),
  });
});

test.each([
  ["brackets", `a: ${"[".repeat(60_000)}`],
  ["braces", `a: ${"{a: ".repeat(15_000)}`],
  ["items", "- ".repeat(30_000)],
  ["questions", "? ".repeat(30_000)],
  ["indentation", Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}a:`).join("\n")],
])("%s nested without end are refused before they are parsed", async (_, yaml) => {
  expect(await parseFrontMatter(`---\n${yaml}\n---\n`)).toEqual({
    problem: "its front matter is nested too deeply",
  });
});

test("aliases of aliases are refused before anything is made of them", async () => {
  const levels = Array.from({ length: 30 }, (_, at) =>
    at === 0 ? "a0: &a0 x" : `a${at}: &a${at} [*a${at - 1}, *a${at - 1}, *a${at - 1}]`,
  );

  expect(await parseFrontMatter(`---\n${levels.join("\n")}\n---\n`)).toEqual({
    problem: expect.stringContaining("an anchor"),
  });
});

test("names of methods are names like any other", async () => {
  const parsed = await parseFrontMatter("---\nconstructor: a\ntoString: b\n---\n");

  expect("fields" in parsed && Object.entries(parsed.fields)).toEqual([
    ["constructor", "a"],
    ["toString", "b"],
  ]);
});
