import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../src/cli/render/markdown.ts";
import { paintFor } from "../../../src/cli/render/paint.ts";
import { MarkdownStream } from "../../../src/lib/markdown-stream.ts";

const paint = paintFor(true);
const plain = (source: string, width = 40) =>
  renderMarkdown(source, { width, paint }).map(stripVTControlCharacters);

describe("blocks", () => {
  test.each([
    ["a heading stands alone", "# Title #\ntext", ["Title", "", "text"]],
    ["an underlined heading", "Title\n---\ntext", ["Title", "", "text"]],
    ["lines of a paragraph are joined", "one\ntwo  \nthree\\\nfour", ["one two", "three", "four"]],
    ["a list follows its introduction", "So:\n- a\n- b", ["So:", "• a", "• b"]],
    ["lists nest", "- a\n  - b\n    1. c\n- d", ["• a", "  ◦ b", "    1. c", "• d"]],
    ["numbers stay as written", "3. a\n4. b", ["3. a", "4. b"]],
    ["a list below the text of its item", "1. a\n   - b", ["1. a", "   ◦ b"]],
    ["a list that is indented less is its own", "1. a\n  - b", ["1. a", "• b"]],
    ["html of several lines is text", "<div>\n*x*\n</div>", ["<div>", "*x*", "</div>"]],
    ["a definition of a link is text", "[a]: http://b", ["[a]: http://b"]],
    ["items with blank lines between", "- a\n\n- b", ["• a", "", "• b"]],
    ["an item's second paragraph", "1. a\n\n   b\n\nc", ["1. a", "", "   b", "", "c"]],
    ["boxes of tasks", "- [ ] a\n- [x] b", ["☐ a", "☑ b"]],
    ["quotes nest", "> a\n> > b", ["│ a", "│ ", "│ │ b"]],
    ["a rule", "---", ["─".repeat(40)]],
    ["html is text", "<b>x</b> &amp;", ["<b>x</b> &amp;"]],
    [
      "fenced code with its language",
      "```ts\na  b\n\n  *c*\n```",
      ["  ts", "  a  b", "  ", "    *c*"],
    ],
    ["a fence that nobody closes", "```\na\n\nb", ["  a", "  ", "  b"]],
    ["indented code", "    a\n\n      b", ["  a", "  ", "    b"]],
    ["code in an item", "- a\n  ```\n  b\n  ```\n- c", ["• a", "", "    b", "• c"]],
    ["a year begins no list", "It was in\n1984. Yes", ["It was in 1984. Yes"]],
  ])("%s", (_title, source, lines) => {
    expect(plain(source)).toEqual(lines);
  });

  test("long list items have a hanging indent", () => {
    expect(plain("- one two three", 12)).toEqual(["• one two", "  three"]);
  });

  test("a wrapped line of code is marked, and nothing of it is lost", () => {
    expect(plain("```\nabcdefghij k\n```", 8)).toEqual(["  abcdef", "↪ ghij k"]);
  });

  test("a diff is red and green", () => {
    const lines = renderMarkdown("```diff\n-a\n+b\n```", { width: 40, paint });

    expect(lines.slice(1)).toEqual([`  ${paint.red("-a")}`, `  ${paint.green("+b")}`]);
  });
});

describe("tables", () => {
  const source = "| name | n |\n|---|--:|\n| a | 1 |\n| b\\|c `x\\|y` | 22 |";

  test("columns are aligned", () => {
    expect(plain(source)).toEqual(["name    │  n", "────────┼───", "a       │  1", "b|c x|y │ 22"]);
  });

  test("a row with too many cells is shown as written", () => {
    expect(plain("|a|b|\n|-|-|\n|1|2|3|")).toEqual(["|a|b|", "|-|-|", "|1|2|3|"]);
  });

  test("cells wrap if there is little space", () => {
    const lines = plain("|a|b|\n|-|-|\n|one two three|four five six|", 17);

    expect(lines.slice(2)).toEqual(["one two │ four", "three   │ five", "        │ six"]);
  });

  test("without space for columns each cell has its own line", () => {
    expect(plain("|a|b|c|\n|-|-|-|\n|one two|three four|five six|", 12)).toEqual(
      expect.arrayContaining(["a: one two", "b: three"]),
    );
  });
});

describe("inside a paragraph", () => {
  const inline = (source: string) => renderMarkdown(source, { width: 200, paint }).join("\n");

  test.each([
    ["bold", "a **b** c", `a ${paint.bold("b")} c`],
    ["italic", "*a* _b_", `${paint.italic("a")} ${paint.italic("b")}`],
    ["both", "***a***", paint.italic(paint.bold("a"))],
    ["struck out", "~~a~~", paint.strike("a")],
    ["code", "`a*b*` ``c`d``", `${paint.cyan("a*b*")} ${paint.cyan("c`d")}`],
    ["a link", "[a](http://b)", `${paint.underline("a")}${paint.dim(" (http://b)")}`],
    ["a link that is its own text", "[http://b](http://b)", paint.underline("http://b")],
    ["a link with a title", '[a](b "c")', `${paint.underline("a")}${paint.dim(' (b "c")')}`],
    ["a picture", "![a](http://b)", `${paint.underline("a")}${paint.dim(" (http://b)")}`],
    ["a bare address", "see https://a.b", `see ${paint.underline("https://a.b")}`],
    ["an address", "<https://a.b>", paint.underline("https://a.b")],
    ["escapes", "\\*a\\* \\`b", "*a* `b"],
    ["names with underscores", "snake_case_name", "snake_case_name"],
    ["sums", "2 * 3 * 4", "2 * 3 * 4"],
    ["marks without a partner", "**a `b [c](d", "**a `b [c](d"],
  ])("%s", (_title, source, expected) => {
    expect(inline(source)).toBe(expected);
  });

  test("without colours code keeps its backticks", () => {
    expect(renderMarkdown("a `b`", { width: 40, paint: paintFor(false) })).toEqual(["a `b`"]);
  });
});

const marks = [
  "*",
  "**",
  "_",
  "`",
  "```",
  "~~~",
  "~~",
  "[",
  "](",
  ")",
  "!",
  "<",
  ">",
  "> ",
  "#",
  "# ",
];
const more = [
  "- ",
  "1. ",
  "  ",
  "    ",
  "\t",
  "|",
  "|-|-|",
  "---",
  "===",
  "\\",
  "\n",
  "\n\n",
  "\r\n",
];
const words = [
  "word",
  "Straße",
  "漢字",
  "👩‍👩‍👧",
  "e\u0301",
  "\u001b[31m",
  "\u202e",
  "\ud83d",
  "x1",
  " ",
];
const markdown = fc.oneof(
  fc.string({ unit: "binary", maxLength: 100 }),
  fc
    .array(fc.constantFrom(...marks, ...more, ...words), { maxLength: 60 })
    .map((parts) => parts.join("")),
);

describe("any text", () => {
  test("gives lines that are no wider than the limit and have no controls but styles", () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 2, max: 90 }), (source, width) => {
        for (const line of renderMarkdown(source, { width, paint })) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: the styles are made of them
          expect(line.replace(/\u001b\[\d+m/g, "")).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e]/u);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("is shown with all its words", () => {
    const texts = fc.array(fc.constantFrom(...marks, ...more, "alpha", "beta", "gamma", " "), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(texts, (parts) => {
        const output = plain(parts.join(""), 1_000).join("\n");
        for (const word of ["alpha", "beta", "gamma"]) {
          const count = (text: string) => text.split(word).length;
          expect(count(output)).toBeGreaterThanOrEqual(count(parts.join("")));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("looks the same if it arrives in pieces, block by block", () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.integer({ min: 1, max: 20 })), (source, cuts) => {
        const stream = new MarkdownStream();
        const blocks: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          blocks.push(...stream.push(source.slice(at, at + cut)));
          at += cut;
          expect(source.slice(0, at).endsWith(stream.rest)).toBe(true);
        }
        blocks.push(...stream.push(source.slice(at)), ...stream.end());

        const render = (text: string) => renderMarkdown(text, { width: 40, paint });
        const joined = blocks.flatMap((block, index) => [
          ...(index === 0 ? [] : [""]),
          ...render(block),
        ]);
        expect(joined).toEqual(render(source));
        expect(render(blocks.join(""))).toEqual(render(source));
        expect(stream.rest).toBe("");
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a block is emitted as soon as no later text can change it", () => {
  const stream = new MarkdownStream();

  expect(stream.push("# Title\nHello wor")).toEqual(["# Title\n"]);
  expect(stream.rest).toBe("Hello wor");
  expect(stream.push("ld\n\n```\na\n\n")).toEqual(["Hello world\n\n"]);
  expect(stream.push("b\n```\n- x\n\n")).toEqual(["```\na\n\nb\n```\n"]);
  expect(stream.push("- y\n")).toEqual(["- x\n\n"]);
  expect(stream.end()).toEqual(["- y\n"]);
});

describe("the end of an incomplete section", () => {
  test("is shown whole while it is short", () => {
    const stream = new MarkdownStream();
    stream.push("- a\n- b\n- c");

    expect(stream.tail).toBe("- a\n- b\n- c");
  });

  test("stays short, and code stays code", () => {
    const stream = new MarkdownStream();
    stream.push(`\`\`\`ts\n${"line\n".repeat(10_000)}last`);

    expect(stream.rest.length).toBeGreaterThan(50_000);
    expect(stream.tail.split("\n")).toHaveLength(202);
    expect(plain(stream.tail).at(-1)).toBe("  last");
  });

  test("stays short if it is one line", () => {
    const stream = new MarkdownStream();
    stream.push(`${"word ".repeat(10_000)}last`);

    expect(stream.tail.length).toBeLessThan(20_001);
    expect(stream.tail.endsWith("word last")).toBe(true);
  });
});

test.each([
  ...[
    "`",
    "` `` ",
    "[",
    "[a](",
    "]",
    ">",
    "> ",
    "*",
    "*a ",
    "**a_b ",
    "- ",
    "- a\n",
    "|",
    "|a|b|\n",
  ],
  ...["<https://", "[](((", "*_~`[", "1. ", "a** b", "~~a", "=\n", "```\n", "#", "![a](b 'c"],
])("100 KB of %j are rendered", (part) => {
  const source = part.repeat(100_000 / part.length);

  expect(renderMarkdown(source, { width: 80, paint }).length).toBeGreaterThan(0);
});
