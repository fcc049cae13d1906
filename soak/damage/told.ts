import { basename } from "node:path";
import type { Damage } from "./spoil.ts";

/** What nobody reads, or what is written anew before anybody does. */
const unread = [
  /\.gitignore$/,
  /\/torn\.jsonl$/,
  // For people who look; texts that a model may be shown again, word for word.
  /\/outputs\//,
  // Events may be lost, as docs/events.md says.
  /\/events\.jsonl$/,
  /\/fence\//,
  // A version counts only where its copy is not there.
  /\/\.versions\//,
];

/** True where a damage changes nothing that the team has or does. */
export function isHarmless({ path }: Damage, texts: { before: string; after: string }): boolean {
  if (unread.some((pattern) => pattern.test(path))) return true;
  return meaningOf(texts.before) === meaningOf(texts.after);
}

/** What a text says: of JSON its values, of lines those that are not blank. */
function meaningOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return lines.join("\n");
  }
}

/** True where what was said names the file, or the mailbox that it belongs to. */
export function isTold({ path, detail }: Damage, said: string): boolean {
  const other = /^with (.*)$/.exec(detail)?.[1] ?? path;
  return [path, other].some((file) => said.includes(basename(file)) || said.includes(nameIn(file)));
}

/** `line-set-aside` names the member. */
function nameIn(path: string): string {
  const member = /inbox\/\.?([a-z]+)/.exec(path)?.[1];
  return member ? `line-set-aside of ${member}` : path;
}
