import stringWidth from "string-width";

const segmenter = new Intl.Segmenter();

/**
 * Characters that are letters by themselves unless something else follows, one column wide below
 * U+3000 and two above: most of what is written, at a fraction of the segmenter's cost.
 */
const simple =
  "\\u0020-\\u007e\\u00c0-\\u024f\\u0400-\\u0481\\u2010-\\u2027\\u2500-\\u257f" +
  "\\u3001-\\u3029\\u3041-\\u3096\\u30a1-\\u30fa\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3";
const firstWide = 0x3000;
const isSimple = new RegExp(`^[${simple}]*$`);
const runs = new RegExp(`[${simple}]+(?![^${simple}])|[${simple}]?[^${simple}]+`, "g");

/** How much text the segmenter gets at once: its time grows with the square of that. */
const portionLength = 256;

/** The letters of a text as a person counts them: an emoji or an accented letter is one. */
export function* graphemes(text: string): Generator<string> {
  if (isSimple.test(text)) {
    yield* text;
    return;
  }
  for (const [run] of text.matchAll(runs)) {
    if (isSimple.test(run)) yield* run;
    else yield* segments(run);
  }
}

function* segments(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    const to = Math.min(text.length, from + portionLength);
    const found = Array.from(segmenter.segment(text.slice(from, to)), ({ segment }) => segment);
    // The last letter of a portion may go on in the next, unless it fills a portion alone.
    if (to < text.length && found.length > 1) found.pop();
    for (const segment of found) {
      yield segment;
      from += segment.length;
    }
  }
}

/** The columns that one letter takes on a terminal. */
export function graphemeWidth(letter: string): number {
  if (letter.length > 1 || !isSimple.test(letter)) return stringWidth(letter);
  return letter.charCodeAt(0) < firstWide ? 1 : 2;
}
