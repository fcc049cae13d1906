import { expect, test } from "vitest";
import { GlobPattern } from "../../../src/tools/files/glob-pattern.ts";

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "src/deep/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/very/deep/a.ts", true],
  ["src/**", "src/very/deep/a.ts", true],
  ["src/**", "other/a.ts", false],
  ["**/test/**/*.js", "a/test/b/c.js", true],
  ["**/*", ".hidden", true],
  ["./src/a.ts", "src/a.ts", true],
  ["/src/a.ts", "src/a.ts", true],
  ["/src/a.ts", "lib/src/a.ts", false],
  ["?.md", "a.md", true],
  ["?.md", "😀.md", true],
  ["?.md", "ab.md", false],
  ["[a-c]*.md", "b1.md", true],
  ["[!a-c]*.md", "b1.md", false],
  ["[]x]", "]", true],
  ["[", "[", true],
  ["*.{ts,tsx}", "a.tsx", true],
  ["{src,test}/**/*.{js,{m,c}ts}", "test/x/a.cts", true],
  ["{src,test}/**/*.{js,{m,c}ts}", "docs/x/a.cts", false],
  ["a{b", "a{b", true],
  ["\\*.ts", "*.ts", true],
  ["\\*.ts", "a.ts", false],
  ["a.b", "aXb", false],
  ["", "a", true],
])("%s and %s: %s", (pattern, path, matches) => {
  expect(GlobPattern.parse(pattern)?.matches(path)).toBe(matches);
});

test("P25 a pattern with exponential backtracking does not hang", () => {
  const path = `${"a/".repeat(500)}${"a".repeat(200)}`;

  expect(GlobPattern.parse("**/*a".repeat(100).concat("b"))?.matches(path)).toBe(false);
  expect(GlobPattern.parse("*a".repeat(100).concat("b"))?.matches(path)).toBe(false);
});

test("P25 a pattern with too many alternatives is refused", () => {
  expect(GlobPattern.parse("{a,b}".repeat(20))).toBeUndefined();
  expect(GlobPattern.parse("x".repeat(20_000))).toBeUndefined();
});
