import { escapeWrapper } from "../lib/escape-wrapper.ts";
import type { Utterance } from "../model/model.ts";
import type { ModelImage } from "../protocol/transcript.ts";

/** The images of an utterance, in order. */
export function imagesOf(utterance: Utterance): readonly ModelImage[] {
  switch (utterance.type) {
    case "input":
      return utterance.images ?? [];
    case "reply":
      return [];
    case "results":
      return utterance.results.flatMap(({ images = [] }) => images);
  }
}

/** The utterance with a text in place of its images; the same object where it has none. */
export function withoutImages<T extends Utterance>(utterance: T, reason: string): T;
export function withoutImages(utterance: Utterance, reason: string): Utterance {
  if (imagesOf(utterance).length === 0) return utterance;
  switch (utterance.type) {
    case "input": {
      const { texts, images = [] } = utterance;
      const shown = texts.flatMap((text, index) => {
        const count = images.filter(({ before }) => before === index).length;
        return count > 0 ? [leftOut(count, reason), text] : [text];
      });
      return { type: "input", texts: shown };
    }
    case "reply":
      return utterance;
    case "results": {
      const results = utterance.results.map(({ images = [], ...result }) => {
        if (images.length === 0) return result;
        const output = `${result.output}\n${leftOut(images.length, reason)}`;
        return { ...result, output: output.trimStart() };
      });
      return { type: "results", results };
    }
  }
}

/** The reason is the provider's text, which must not look like mail. */
function leftOut(count: number, reason: string): string {
  const what = count === 1 ? "An image is" : `${count} images are`;
  return `(${what} left out here: ${escapeWrapper(reason)})`;
}
