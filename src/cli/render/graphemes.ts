import stringWidth from "string-width";

const segmenter = new Intl.Segmenter();

/**
 * Characters that are a grapheme by themselves unless something else follows, one column wide below
 * U+3000 and two above. They make up most text and avoid the slow segmenter.
 */
const simple =
  "\\u0020-\\u007e\\u00c0-\\u024f\\u0400-\\u0481\\u2010-\\u2027\\u2500-\\u257f" +
  "\\u3001-\\u3029\\u3041-\\u3096\\u30a1-\\u30fa\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3";
const firstWide = 0x3000;
const isSimple = new RegExp(`^[${simple}]*$`);
const runs = new RegExp(`[${simple}]+(?![^${simple}])|[${simple}]?[^${simple}]+`, "g");

/** The segmenter's input at once: its time grows with the square of the length. */
const portionLength = 256;

/** The graphemes of a text: an emoji or an accented letter is one. */
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
    // The last grapheme may continue in the next portion, unless it fills a portion alone.
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
