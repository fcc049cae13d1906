import {
  closeSync,
  constants,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { imageLimits, imageTypeOf } from "../../lib/image.ts";
import { tooLarge } from "../../team/prompt-images.ts";

/** What the path in a paste leads to: an image, or one that cannot be sent. */
export type PastedImage = { type: "image"; path: string } | { type: "refused"; problem: string };

/** Where the paths of a paste begin. */
interface PathStarts {
  workspace: string;
  home: string;
}

/**
 * The image that a pasted text is the path of, and nothing else; undefined where it is not. A program
 * that is dragged from quotes what a shell would read otherwise, or puts a backslash before it.
 */
export function pastedImage(pasted: string, starts: PathStarts): PastedImage | undefined {
  const text = pasted.trim();
  if (text === "" || text.length > maxLength || /[\0\r\n]/.test(text)) return undefined;
  const word = shellWord(text);
  const meant = word === undefined || word === text ? [text] : [text, word];
  for (const path of meant) {
    const found = imageAt(placeOf(path, starts));
    if (found) return found;
  }
  return undefined;
}

const maxLength = 4_096;

/** The one word that a shell would read; undefined for none and for several. */
function shellWord(text: string): string | undefined {
  const parts = [...text.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gs)];
  if (parts.map(([part]) => part).join("") !== text) return undefined;
  return parts
    .map(([, single, double, escaped, plain]) => {
      return single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
    })
    .join("");
}

function placeOf(path: string, { workspace, home }: PathStarts): string {
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(workspace, path);
}

function imageAt(path: string): PastedImage | undefined {
  try {
    const place = realpathSync(path);
    const stats = statSync(place);
    if (!stats.isFile() || imageTypeOf(headOf(place)) === undefined) return undefined;
    return asPasted(place, stats);
  } catch (error) {
    // What cannot be read is not known to be an image.
    if (error instanceof Error && "errno" in error) return undefined;
    throw error;
  }
}

function asPasted(path: string, { size }: Stats): PastedImage {
  if (size <= imageLimits.bytes) return { type: "image", path };
  return { type: "refused", problem: tooLarge(path, size).message };
}

function headOf(path: string): Buffer {
  // Does not wait for what is not a file after all.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(descriptor, head, 0, headBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** All that an image is told from. */
const headBytes = 16;
