import { expect, test } from "vitest";
import { pageText } from "../../src/fetching/page-text.ts";

const base = "https://example.com/docs/start";

async function textOf(html: string): Promise<string> {
  return (await pageText(html, base)).text;
}

test("a page becomes headings, paragraphs, lists, links, code and tables", async () => {
  const html = `<!doctype html><html><head><title> A &amp;
    page </title><style>p { color: red }</style></head><body>
    <h1>Start</h1><p>Some <b>bold</b>
    text, <code>x</code> and a <a href="next?a=1&amp;b=2#c">link</a>.</p>
    <ul><li>one</li><li>two<ol><li>first<li>second</ol></li></ul>
    <pre>if (a &lt; b) {
  return;
}</pre>
    <table><tr><th>Name<th>Size</tr><tr><td>a<td>1</tr></table>
    <script>document.write("<p>no</p>")</script></body></html>`;

  const page = await pageText(html, base);

  expect(page).toEqual({
    title: "A & page",
    isCut: false,
    text: [
      "# Start",
      "",
      "Some bold text, x and a [link](https://example.com/docs/next?a=1&b=2#c).",
      "",
      "- one",
      "- two",
      "  1. first",
      "  2. second",
      "",
      "```",
      "if (a < b) {",
      "  return;",
      "}",
      "```",
      "",
      "Name | Size",
      "a | 1",
    ].join("\n"),
  });
});

test("where a page says what its main content is, the rest is left out", async () => {
  const main = `<h1>Title</h1><p>${"words ".repeat(60)}</p>`;

  const text = await textOf(`<nav>Home</nav><main>${main}</main><footer>Imprint</footer>`);

  expect(text).toMatch(/^# Title\n\nwords .* words$/);
});

test("a main element with next to nothing in it does not hide the page", async () => {
  expect(await textOf("<p>The page</p><main>Loading</main>")).toBe("The page\n\nLoading");
});

test.each([
  ["<a href='javascript:alert(1)'>x</a>", "x"],
  ["<a href='data:text/html,hi'>x</a>", "x"],
  ["<a href='#part'>x</a>", "x"],
  ["<a href='/y'>x", "[x](https://example.com/y)"],
  ["<a href='/y'><img alt='a cat' src='c.png'></a>", "[[image: a cat]](https://example.com/y)"],
  ["<a href='/y'></a>after", "after"],
  ["<iframe>inner</iframe><template>t</template><svg><text>s</text></svg>seen", "seen"],
  ["a<br>b<br><br>c", "a\nb\nc"],
  ["<p>one<p>two", "one\n\ntwo"],
  ["", ""],
  ["just a text", "just a text"],
  ["<title>first</title><title>second</title>x", "x"],
])("%s is read as %j", async (html, text) => {
  expect(await textOf(html)).toBe(text);
});

test.each([
  ["elements in elements", "<div>".repeat(400_000)],
  ["closing tags without opening ones", `${"<div>".repeat(999)}${"</p>".repeat(400_000)}`],
  ["tables in tables", "<table><tr><td>".repeat(130_000)],
  ["attributes", `<a ${Array.from({ length: 200_000 }, (_, at) => `x${at}=y`).join(" ")}>`],
  ["comments", "<!--".repeat(500_000)],
  ["brackets", "<".repeat(2_000_000)],
  ["links in links", `${"<a href=/x>y".repeat(900)}${"</a>".repeat(400_000)}`],
])(
  "P25 a page of nothing but %s is read in pieces, between which other work goes on",
  async (_, html) => {
    const page = html.slice(0, 2_000_000);
    let turns = 0;
    const other = () => {
      turns++;
      next = setImmediate(other);
    };
    let next = setImmediate(other);

    const { isCut } = await pageText(page, base);
    clearImmediate(next);

    // One that is nested too deeply ends at once; any other is read in pieces, and others have a turn after each.
    if (!isCut) expect(turns).toBeGreaterThanOrEqual(Math.floor(page.length / 32_768));
  },
);

test("what is nested too deeply is left out, and that is said", async () => {
  const page = await pageText(`<p>before</p>${"<b>".repeat(2_000)}inside`, base);

  expect(page).toMatchObject({ text: "before", isCut: true });
});
