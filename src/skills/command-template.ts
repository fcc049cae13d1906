import { withoutCode, withoutFences } from "../lib/markdown-code.ts";

/** A part of a command's text: as it is, or a command line whose output takes its place. */
export type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "shell"; readonly command: string };

/** A command's text with what the person has typed behind its name. */
export interface FilledTemplate {
  readonly parts: readonly TemplatePart[];
  /** The paths of the files that the command's own text mentions as `@path`. */
  readonly mentions: readonly string[];
}

const placeholder = /\$(?:ARGUMENTS\b|([1-9]\d?)(?!\w))/g;
const shellPart = /(?<![^\s(])!`([^`\n]+)`/g;
const mention = /(?<![^\s(])@([^\s`$]{1,1024})/g;

/**
 * Fills in what the person has typed. That is text wherever it comes: nothing in it becomes a command line or a
 * mention of the command. What a text has no place for comes after it.
 */
export function fillTemplate(body: string, argument: string): FilledTemplate {
  const words = splitWords(argument);
  const fill = (text: string) =>
    text.replace(placeholder, (_, number: string | undefined) =>
      number === undefined ? argument : (words[Number(number) - 1] ?? ""),
    );
  const parts: TemplatePart[] = [];
  let position = 0;
  for (const { index, 0: whole, 1: command = "" } of withoutFences(body).matchAll(shellPart)) {
    parts.push({ type: "text", text: fill(body.slice(position, index)) });
    parts.push({ type: "shell", command: fill(command) });
    position = index + whole.length;
  }
  parts.push({ type: "text", text: fill(body.slice(position)) });
  const isUsed = body.search(placeholder) !== -1;
  if (!isUsed && argument !== "") parts.push({ type: "text", text: `\n\n${argument}` });
  const mentions = [...withoutCode(body).matchAll(mention)].map(([, path = ""]) => path);
  return { parts, mentions: [...new Set(mentions)] };
}

/** The words that the person has typed; quotes keep several together. */
export function splitWords(text: string): string[] {
  const words = text.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/gs);
  return [...words].map(([, double, single, bare]) => {
    if (double !== undefined) return double.replace(/\\(["\\])/g, "$1");
    return single ?? bare ?? "";
  });
}
