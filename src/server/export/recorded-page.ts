import { createHash } from "node:crypto";
import { readPageFile } from "../static-files.ts";

/** The three files of the built page. */
export interface BuiltPage {
  html: string;
  script: string;
  style: string;
}

/** The page as one file, split at the place of the data. */
export interface RecordedPage {
  before: string;
  after: string;
}

export async function readBuiltPage(directory: string): Promise<BuiltPage> {
  const [html, script, style] = await Promise.all([
    readPageFile(directory, "index.html"),
    readPageFile(directory, "dashboard.js"),
    readPageFile(directory, "dashboard.css"),
  ]);
  return { html, script, style };
}

const scriptTag = /<script\b[^>]*\bsrc="[^"]*dashboard\.js"[^>]*><\/script>/g;
const styleTag = /<link\b[^>]*\bhref="[^"]*dashboard\.css"[^>]*>/g;
const headTag = /<meta charset="utf-8"[^>]*>/g;
const endTag = /<\/body>/g;

/**
 * The page with its script and style inline. Its content security policy allows exactly these two,
 * and no requests. An element with the data follows in the body.
 */
export function recordedPage({ html, script, style }: BuiltPage): RecordedPage {
  const inScript = scriptText(script);
  const inStyle = style.replace(/<(?=\/style)/gi, "\\3c ");
  const policy = [
    "default-src 'none'",
    `script-src '${sha256(inScript)}'`,
    `style-src '${sha256(inStyle)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    '<meta name="referrer" content="no-referrer" />',
  ].join("\n    ");
  let page = replaceOnly(html, headTag, (tag) => `${tag}\n    ${head}`);
  // The script runs when the document is complete, as modules do.
  page = replaceOnly(page, scriptTag, () => `<script type="module">${inScript}</script>`);
  page = replaceOnly(page, styleTag, () => `<style>${inStyle}</style>`);
  const end = page.search(endTag);
  if (end < 0) throw new Error("The dashboard's page has no end");
  return {
    before: `${page.slice(0, end)}<script type="application/json" id="troupe-run">`,
    after: `</script>\n  ${page.slice(end)}`,
  };
}

/** Script text that is safe in a document: the same in every text and pattern it has. */
function scriptText(script: string): string {
  return script.replace(/<(?=\/script|!--)/gi, "\\x3c");
}

function sha256(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function replaceOnly(text: string, pattern: RegExp, replacement: (tag: string) => string): string {
  const { length } = [...text.matchAll(pattern)];
  if (length !== 1) throw new Error(`The dashboard's page has ${length} times ${pattern}`);
  return text.replace(pattern, replacement);
}

/** JSON that is safe in a document: nothing in it begins or ends an element. */
export function jsonInDocument(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
