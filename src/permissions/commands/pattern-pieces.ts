import type { PatternPiece } from "./argument.ts";

/** The pieces of a value that is put into a line without quotes, or undefined where it is not understood. */
export function patternPieces(value: string): PatternPiece[] | undefined {
  // What a backslash does in a value depends on the version of bash.
  if (value.includes("\\")) return undefined;
  const texts = value.split(/(\*|\?|\[[\w-]+\])/).filter((text) => text !== "");
  const pieces = texts.map((text): PatternPiece => {
    if (text === "*") return { type: "any" };
    const isOne = text === "?" || /^\[[\w-]+\]$/.test(text);
    return isOne ? { type: "one", text } : { type: "text", value: text };
  });
  return pieces.some((piece) => piece.type === "text" && piece.value.includes("["))
    ? undefined
    : pieces;
}
