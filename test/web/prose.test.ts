import { Fragment, isValidElement, type VNode } from "preact";
import { describe, expect, test } from "vitest";
import { readMarkdown } from "../../src/lib/markdown.ts";
import { GrowingText } from "../../web/src/parts/growing-text.ts";
import { blockElement } from "../../web/src/parts/prose.tsx";

/** An element or a component. */
interface Seen {
  type: string;
  props: Readonly<Record<string, unknown>>;
}

function seen(node: unknown): Seen[] {
  if (Array.isArray(node)) return node.flatMap(seen);
  if (!isValidElement(node)) return [];
  const { type, props }: VNode<Record<string, unknown>> = node;
  const inside = seen(props.children);
  if (type === Fragment) return inside;
  return [{ type: typeof type === "string" ? type : type.name, props }, ...inside];
}

const elementsOf = (source: string) => readMarkdown(source).flat().map(blockElement).flatMap(seen);
const typesOf = (source: string) => elementsOf(source).map(({ type }) => type);
const textOf = (source: string) =>
  elementsOf(source)
    .map(({ props }) => props.text ?? "")
    .join("");

test.each([
  ["# a", ["h4", "Marked"]],
  ["### a", ["h6", "Marked"]],
  ["a **b** `c`", ["p", "Marked", "strong", "Marked", "Marked", "code", "Marked"]],
  ["~~a~~ *b*", ["p", "del", "Marked", "Marked", "em", "Marked"]],
  ["3. a", ["ol", "li", "p", "Marked"]],
  ["- [x] a", ["ul", "li", "span", "p", "Marked"]],
  ["> a", ["blockquote", "p", "Marked"]],
  ["```ts\na\n```", ["Code"]],
  ["---", ["hr"]],
])("%j becomes elements", (source, types) => {
  expect(typesOf(source)).toEqual(types);
});

test("a table has a head, rows and alignments", () => {
  const elements = elementsOf("|a|b|\n|-|--:|\n|1|2|");

  expect(elements.filter(({ type }) => /^t[dh]$/.test(type))).toMatchObject([
    { type: "th", props: { class: "align-left" } },
    { type: "th", props: { class: "align-right" } },
    { type: "td", props: { class: "align-left" } },
    { type: "td", props: { class: "align-right" } },
  ]);
});

describe("hostile Markdown", () => {
  const elements = "p h4 h5 h6 strong em del code br hr ul ol li blockquote section span a";
  const allowed = new Set([
    ...elements.split(" "),
    ...["table", "thead", "tbody", "tr", "th", "td", "Marked", "Code"],
  ]);

  test.each([
    "<script>ran()</script>",
    "a <img src=x onerror=ran()> b",
    "<div onclick=ran()>\n<iframe srcdoc='x'>\n</div>",
    "![a](x onerror=ran())",
    '![a](http://b "onerror=ran()")',
    "<!-- a -->",
    "<svg/onload=ran()>",
    "<style>*{display:none}</style>",
    "- <b>\n- <input autofocus onfocus=ran()>",
    "|<b>|\n|-|\n|<script>|",
  ])("%j is text, and nothing of it an element or an attribute", (source) => {
    const all = elementsOf(source);

    expect(all.filter(({ type }) => !allowed.has(type))).toEqual([]);
    const names = all.flatMap(({ props }) => Object.keys(props));
    expect(names.filter((name) => /^on|html|^src/i.test(name))).toEqual([]);
    const letters = (text: string) => text.replace(/[^a-z]/g, "");
    const visible = `${textOf(source)}`;
    for (const word of source.match(/[a-z]{2,}/g) ?? [])
      expect(letters(visible)).toContain(letters(word));
  });

  test.each([
    "javascript:ran()",
    "JaVaScRiPt:ran()",
    " javascript:ran()",
    "java\tscript:ran()",
    "javascript&#58;ran()",
    "&#106;avascript:ran()",
    "java%0ascript:ran()",
    "data:text/html,<script>ran()</script>",
    "vbscript:ran()",
    "file:///etc/passwd",
    "//elsewhere.example",
    "/api/stop",
    "#token=x",
    "http:/\u0000/a",
    "https://",
    "blob:https://a.example/x",
  ])("a link to %j cannot be opened", (url) => {
    for (const source of [`[a](<${url}>)`, `[a](${url})`, `![a](${url})`, `[a]: ${url}\n[a]`]) {
      const links = elementsOf(source).filter(({ type }) => type === "a");
      const opened = links.map(({ props }) => props.href);

      expect(opened.filter((href) => !/^https?:\/\/[a-z]/.test(String(href)))).toEqual([]);
      expect(opened.filter((href) => String(href).includes("ran"))).toEqual([]);
    }
  });

  test.each(["https://a.example/b?c=d", "http://a.example", "mailto:a@b.example"])(
    "a link to %j opens outside of the page, without a referrer",
    (url) => {
      expect(elementsOf(`[words](${url})`)).toContainEqual({
        type: "a",
        props: expect.objectContaining({
          ...{ href: url, target: "_blank", rel: "noopener noreferrer" },
        }),
      });
    },
  );

  test("a link text that names another address does not hide the target", () => {
    expect(textOf("[https://good.example](https://evil.example)")).toBe(
      "https://good.examplehttps://evil.example",
    );
    expect(textOf("https://good.example")).toBe("https://good.example");
  });

  test.each([
    ...[">", "> ", "- ", "1. ", "> - ", "[", "[a](", "![", "*a ", "**a *b ", "_a", '*x="', "`a"],
    ...["<a ", "<!--", "a@b.", "((http://a.", "|a|b|\n", "- a\n", "- a\n|", "[a]: b\n", "\\", "#"],
  ])("100 KB of %j are parsed, and nested no deeper than is drawn", (part) => {
    const blocks = readMarkdown(part.repeat(100_000 / part.length)).flat();

    expect(depthOf(blocks)).toBeLessThan(60);
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((most, each) => Math.max(most, depthOf(each)), 0);
}

describe("a text that grows", () => {
  const source = "# A\n\nfirst\nlines\n\n- a\n\n- b\n\n```\ncode\n\n```\nlast";

  test("has the same sections as the whole text", () => {
    const growing = new GrowingText();
    for (let length = 1; length < source.length; length++) growing.read(source.slice(0, length));

    expect(growing.read(source)).toEqual(new GrowingText().read(source));
    expect(growing.read(source).sections.join("")).toContain("- a\n\n- b\n");
  });

  test("keeps the complete sections", () => {
    const growing = new GrowingText();
    const [first] = growing.read("one\n\ntw").sections;

    expect(growing.read("one\n\ntwo\n\nthree").sections).toEqual([first, "two\n\n", "three"]);
  });

  test("that is replaced is parsed from its beginning", () => {
    const growing = new GrowingText();
    growing.read("one\n\ntwo");

    expect(growing.read("three").sections).toEqual(["three"]);
  });

  test("is shown as written if it is very long", () => {
    const { sections, rest } = new GrowingText().read("a\n\n".repeat(50_000));

    expect(sections.join("").length + rest.length).toBe(150_000);
    expect(rest.length).toBe(50_000);
  });
});
