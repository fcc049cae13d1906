/** To whom a text is: what is chosen, or what it begins with. */
export interface Draft {
  to: string;
  text: string;
}

/** Everybody who is alive. */
export const all = "all";

/** `@name ` at the beginning of a text chooses that member and leaves the text. */
export function readdressed(draft: Draft, names: readonly string[]): Draft {
  const [start, name = ""] = /^@(\S+)\s/.exec(draft.text) ?? [];
  if (start === undefined || !(name === all || names.includes(name))) return draft;
  return { to: name, text: draft.text.slice(start.length) };
}

/** Who is meant by the `@…` that is being typed at the beginning; nobody where none is. */
export function suggestions(text: string, names: readonly string[]): readonly string[] {
  const begun = /^@(\S*)$/.exec(text)?.[1];
  if (begun === undefined) return [];
  return [...names, all].filter((name) => name.startsWith(begun)).slice(0, 8);
}

/** Whom a draft is to when another member comes into view. A text that is begun keeps its recipient. */
export function draftFor(draft: Draft, inView: string | null, lead: string): Draft {
  if (draft.text.trim() !== "") return draft;
  const to = inView ?? lead;
  return to === draft.to ? draft : { ...draft, to };
}
