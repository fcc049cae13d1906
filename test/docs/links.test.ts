import { expect, test } from "vitest";
import { brokenLinks, linkedFiles } from "./pages/links.ts";
import { allPages } from "./pages/markdown-page.ts";

const pages = allPages();
const map = pages.find(({ path }) => path === "docs/index.md") ?? expect.fail();

test.each(pages)("the links of $path lead to existing files and headings", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test("docs/index.md has a link to every page", () => {
  const linked = linkedFiles(map);
  const others = pages.filter(({ path }) => path.startsWith("docs/") && path !== map.path);

  expect(others.length).toBeGreaterThan(20);
  expect(others.map(({ path }) => path).filter((path) => !linked.has(path))).toEqual([]);
});

test("control: links to a missing file and to a missing heading are found, others are not", () => {
  const text = [
    "# Two words, and `code`!",
    "[itself](#two-words-and-code) and [not](#two-words)",
    "[a page](storage.md#the-key), [no heading](storage.md#the-keys) and [no page](none.md)",
    "[a folder](decisions/) and [elsewhere](https://example.com/none.md), `[code](none.md)`",
    "```text\n[an output](none.md)\n```",
  ].join("\n");

  expect(brokenLinks({ path: "docs/page.md", text })).toEqual([
    "#two-words",
    "storage.md#the-keys",
    "none.md",
  ]);
});
