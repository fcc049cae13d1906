import { type Inline, targetOf } from "../../lib/markdown.ts";
import type { Paint } from "./paint.ts";

/** The styled text of a paragraph, heading or cell. Only breaks start a new line. */
export function renderInline(content: readonly Inline[], paint: Paint): string {
  return content.map((each) => renderOne(each, paint)).join("");
}

function renderOne(inline: Inline, paint: Paint): string {
  switch (inline.type) {
    case "text":
      return inline.text.replace(/ *\n */g, " ");
    case "break":
      return "\n";
    case "code":
      // Without colours, backticks tell code from text.
      return paint.hasColors ? paint.cyan(inline.text) : `\`${inline.text}\``;
    case "bold":
      return paint.bold(renderInline(inline.content, paint));
    case "italic":
      return paint.italic(renderInline(inline.content, paint));
    case "strike":
      return paint.strike(renderInline(inline.content, paint));
    case "link":
      return renderLink(inline, paint);
  }
}

function renderLink(link: Extract<Inline, { type: "link" }>, paint: Paint): string {
  const target = targetOf(link);
  const words = paint.underline(renderInline(link.content, paint));
  return target === undefined ? words : words + paint.dim(` (${target})`);
}
