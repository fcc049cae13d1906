import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A page of the documentation, by its path in the repository. */
export interface MarkdownPage {
  readonly path: string;
  readonly text: string;
}

/** Every page that people read. */
export function allPages(): MarkdownPage[] {
  const inDocs = readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name));
  const atRoot = readdirSync(".").filter((name) => name.endsWith(".md"));
  return [...atRoot, ...inDocs].map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

interface Fence {
  readonly language: string;
  readonly code: string;
}

const fence = /^```(\w*)\n(.*?)^```$/gms;

export function fencesIn(text: string): Fence[] {
  return [...text.matchAll(fence)].map(([, language = "", code = ""]) => ({ language, code }));
}

export function proseOf(text: string): string {
  return text.replaceAll(fence, "");
}

/** What stands between backticks in prose. */
export function spansIn(text: string): string[] {
  return [...proseOf(text).matchAll(/(`+)(.+?)\1(?!`)/gs)].map(([, , code = ""]) => code.trim());
}
