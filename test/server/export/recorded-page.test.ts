import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { jsonInDocument, recordedPage } from "../../../src/server/export/recorded-page.ts";

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <script type="module" crossorigin src="./dashboard.js"></script>
    <link rel="stylesheet" crossorigin href="./dashboard.css">
  </head>
  <body>
    <div id="app"></div>
  </body>
</html>
`;

const sha256 = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

test("the page contains its script and style, and its policy allows only these", () => {
  const { before, after } = recordedPage({ html, script: "run('$&');", style: "p{color:red}" });
  const whole = before + after;

  expect(whole).not.toMatch(/\b(?:src|href)=/);
  expect(whole).toContain("<script type=\"module\">run('$&');</script>");
  expect(whole).toContain("<style>p{color:red}</style>");
  expect(whole).toContain(
    `content="default-src 'none'; script-src '${sha256("run('$&');")}'; style-src '${sha256("p{color:red}")}'; img-src data:; base-uri 'none'; form-action 'none'"`,
  );
  expect(whole.indexOf("Content-Security-Policy")).toBeLessThan(whole.indexOf("<script"));
  expect(before).toMatch(/<script type="application\/json" id="troupe-run">$/);
  expect(after).toMatch(/^<\/script>\s*<\/body>/);
});

test("script and style cannot end their elements, and keep their meaning", () => {
  const script = 'const a = "</script><!--", b = /<\\/script>/.test("</SCRIPT>".toLowerCase());';
  const { before } = recordedPage({ html, script, style: 'p::after{content:"</style>"}' });
  const [, inlined = ""] = /<script type="module">(.*?)<\/script>/s.exec(before) ?? [];
  const results = (text: string) => new Function(`${text} return [a, b];`)();

  expect(inlined).not.toMatch(/<\/script|<!--/i);
  expect(results(inlined)).toEqual(results(script));
  expect(before.match(/<\/style/g)).toHaveLength(1);
  expect(before).toContain(sha256(inlined));
});

test("a page of another structure is rejected", () => {
  expect(() =>
    recordedPage({ html: html.replace("dashboard.js", "x.js"), script: "", style: "" }),
  ).toThrow(/0 times/);
});

test.each([
  ["the end of a script", "</script><script>hacked = 1</script>"],
  ["a comment with a script", "<!--<script>"],
  ["an element", '<img src=x onerror="hacked = 1">'],
  ["separators of lines", "a\u2028b\u2029c"],
])("%s in the data stays text", (_, text) => {
  const written = jsonInDocument({ [text]: [text] });

  expect(written).not.toMatch(/[<\u2028\u2029]/);
  expect(JSON.parse(written)).toEqual({ [text]: [text] });
});
