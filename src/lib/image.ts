/** The kinds of images that the large providers take. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/**
 * The largest image, in bytes and in pixels of a side, and the most of one message: the smallest limits that a large
 * provider publishes (Amazon Bedrock and Anthropic). All images of a message together are one line of a transcript, and
 * of a request, which Gemini limits to 20 MB.
 */
export const imageLimits = {
  bytes: 3_750_000,
  pixels: 8_000,
  count: 20,
  totalBytes: 10_000_000,
} as const;

/** The kind of an image, by its first bytes; undefined if they are not an image's. */
export function imageTypeOf(head: Buffer): ImageType | undefined {
  if (startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(head, [0xff, 0xd8, 0xff])) return "image/jpeg";
  const text = head.toString("latin1", 0, 12);
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return /^RIFF....WEBP/s.test(text) ? "image/webp" : undefined;
}

/** Width and height in pixels. */
export type ImageSize = readonly [number, number];

/** The size of an image as it says itself; undefined if it is cut off before, or damaged. */
export function imageSizeOf(image: Buffer, type: ImageType): ImageSize | undefined {
  try {
    switch (type) {
      case "image/png":
        return [image.readUInt32BE(16), image.readUInt32BE(20)];
      case "image/gif":
        return [image.readUInt16LE(6), image.readUInt16LE(8)];
      case "image/jpeg":
        return jpegSize(image);
      case "image/webp":
        return webpSize(image);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The frame is behind any number of segments, each with its length. */
function jpegSize(image: Buffer): ImageSize | undefined {
  let at = 2;
  while (image.readUInt8(at) === 0xff) {
    const marker = image.readUInt8(at + 1);
    // Fill bytes may come before a marker.
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return [image.readUInt16BE(at + 7), image.readUInt16BE(at + 5)];
    else at += 2 + image.readUInt16BE(at + 2);
  }
  return undefined;
}

/** C4, C8 and CC, between the frames, are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function webpSize(image: Buffer): ImageSize | undefined {
  switch (image.toString("latin1", 12, 16)) {
    case "VP8X":
      return [image.readUIntLE(24, 3) + 1, image.readUIntLE(27, 3) + 1];
    case "VP8L": {
      const bits = image.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
    }
    case "VP8 ":
      return [image.readUInt16LE(26) & 0x3fff, image.readUInt16LE(28) & 0x3fff];
    default:
      return undefined;
  }
}

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
