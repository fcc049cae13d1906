import type { WentBack } from "../../checkouts/go-back.ts";

const maxNamed = 30;

/** What a member is told when the files of its checkout have gone back. */
export function wentBackNote({ state, before, files }: WentBack): string {
  const named = files.slice(0, maxNamed).map(({ path }) => path);
  const more = files.length - named.length;
  const what = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `(The person took the files of your checkout back to how they were ${state.number === 0 ? "when it was made" : `at ${state.at}`}: ${what || "nothing was different"}. Their previous content is kept as state ${before.number}. Your commits stay. Read files again before you change them.)`;
}
