import { readFile, stat } from "node:fs/promises";
import { TeamError } from "../errors.ts";
import { type ImageType, imageLimits, imageSizeOf, imageTypeOf } from "../lib/image.ts";
import type { CheckedImage } from "./image-files.ts";

/** An image for a prompt: the path of a file, or its bytes. PNG, JPEG, GIF or WebP. */
export type PromptImage = string | { readonly data: Uint8Array; readonly mediaType: string };

/** A prompt of the person with images, which the member sees before the text. */
export interface TeamPrompt {
  /** What the person says. */
  readonly text: string;
  /** At most 20, each of at most 3.75 MB and 8,000 pixels a side, and 10 MB together. */
  readonly images?: readonly PromptImage[] | undefined;
}

/** Reads and checks an image from a file. Throws as `readImages`. */
export async function readImageFile(path: string): Promise<CheckedImage> {
  return check(path, await contentOf(path));
}

/** Reads and checks images. Throws `image-refused` where a provider would refuse one. */
export async function readImages(images: readonly PromptImage[]): Promise<CheckedImage[]> {
  if (images.length > imageLimits.count) {
    throw refused(`A prompt can have ${imageLimits.count} images, not ${images.length}`, "fewer");
  }
  const checked: CheckedImage[] = [];
  for (const [index, image] of images.entries()) checked.push(await readImage(image, index));
  const total = checked.reduce((sum, { content }) => sum + content.length, 0);
  if (total > imageLimits.totalBytes) {
    const problem = `The images of a prompt can have ${imageLimits.totalBytes} bytes together, not ${total}`;
    throw refused(problem, "fewer or smaller");
  }
  return checked;
}

async function readImage(image: PromptImage, index: number): Promise<CheckedImage> {
  if (typeof image === "string") return readImageFile(image);
  const name = `Image ${index + 1}`;
  const checked = check(name, Buffer.from(image.data));
  if (checked.type === image.mediaType) return checked;
  throw new TeamError("image-refused", `${name} is ${checked.type}, not ${image.mediaType}`, {
    hint: "Give the media type that the bytes have.",
  });
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw refused(`${path} is not a file`, "other");
    if (found.size > imageLimits.bytes) throw tooLarge(path, found.size);
    return await readFile(path);
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    throw new TeamError("image-refused", `The image ${path} cannot be read: ${error.message}`, {
      cause: error,
      hint: "Name a file that is there and that you can read.",
    });
  }
}

function check(name: string, content: Buffer): CheckedImage {
  const type = imageTypeOf(content);
  if (!type) throw refused(`${name} is not a PNG, JPEG, GIF or WebP`, "other");
  if (content.length > imageLimits.bytes) throw tooLarge(name, content.length);
  const problem = sizeProblem(content, type);
  if (problem) throw refused(`${name} ${problem}`, "other");
  return { type, content };
}

function sizeProblem(content: Buffer, type: ImageType): string | undefined {
  const size = imageSizeOf(content, type);
  if (!size) return "is damaged: it does not say how large it is";
  const [width, height] = size;
  const { pixels } = imageLimits;
  if (width > pixels || height > pixels)
    return `has ${width} × ${height} pixels, and ${pixels} a side are allowed`;
  return width === 0 || height === 0 ? "is damaged: it has no pixels" : undefined;
}

/** The error that refuses an image with too many bytes. */
export function tooLarge(name: string, size: number): TeamError {
  const problem = `${name} has ${size} bytes, and ${imageLimits.bytes} are allowed`;
  return refused(problem, "smaller");
}

function refused(problem: string, wanted: string): TeamError {
  return new TeamError("image-refused", problem, { hint: `Give ${wanted} images.` });
}
