/** A text and its recipient. */
export interface Draft {
  to: string;
  text: string;
}

/** All live members. */
export const all = "all";

/** `@name ` at the beginning of a text chooses that member and is removed from the text. */
export function readdressed(draft: Draft, names: readonly string[]): Draft {
  const [start, name = ""] = /^@(\S+)\s/.exec(draft.text) ?? [];
  if (start === undefined || !(name === all || names.includes(name))) return draft;
  return { to: name, text: draft.text.slice(start.length) };
}

/** The members that match the `@…` typed at the beginning; empty if there is none. */
export function suggestions(text: string, names: readonly string[]): readonly string[] {
  const begun = /^@(\S*)$/.exec(text)?.[1];
  if (begun === undefined) return [];
  return [...names, all].filter((name) => name.startsWith(begun)).slice(0, 8);
}

/** The draft when another member's view is opened. A draft with text keeps its recipient. */
export function draftFor(draft: Draft, inView: string | null, lead: string): Draft {
  if (draft.text.trim() !== "") return draft;
  const to = inView ?? lead;
  return to === draft.to ? draft : { ...draft, to };
}
