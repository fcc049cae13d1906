import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { type MarkdownPage, proseOf } from "./markdown-page.ts";

/** The targets of a page's links that lead to files here, or to places in itself. */
function linksIn({ text }: MarkdownPage): string[] {
  const prose = proseOf(text).replaceAll(/`[^`\n]*`/g, "code");
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)]
    .flatMap(([, target]) => target ?? [])
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The links of a page that lead nowhere. */
export function brokenLinks(page: MarkdownPage): string[] {
  return linksIn(page).filter((target) => {
    const [file = "", heading] = target.split("#");
    const path = file === "" ? page.path : join(dirname(page.path), file);
    if (path === page.path) return heading !== undefined && !anchorsOf(page.text).has(heading);
    if (!existsSync(path)) return true;
    if (heading === undefined) return false;
    return statSync(path).isDirectory() || !anchorsOf(readFileSync(path, "utf8")).has(heading);
  });
}

/** The files that a page links to. */
export function linkedFiles(page: MarkdownPage): Set<string> {
  const files = linksIn(page).map((target) => target.split("#")[0] ?? "");
  return new Set(files.map((file) => normalize(join(dirname(page.path), file))));
}

/** What headings are called in links, as GitHub makes it: of two that are equal, the second has a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of proseOf(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    let name = anchor;
    for (let count = 1; anchors.has(name); count++) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}
