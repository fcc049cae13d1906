/** The beginnings of images of a size, as far as a program looks at them. */
export function pngOf(width: number, height: number): Buffer {
  const image = Buffer.alloc(33);
  image.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  image.writeUInt32BE(13, 8);
  image.write("IHDR", 12, "latin1");
  image.writeUInt32BE(width, 16);
  image.writeUInt32BE(height, 20);
  return image;
}

export function gifOf(width: number, height: number): Buffer {
  const image = Buffer.alloc(16);
  image.write("GIF89a", "latin1");
  image.writeUInt16LE(width, 6);
  image.writeUInt16LE(height, 8);
  return image;
}

export function jpegOf(width: number, height: number): Buffer {
  const image = Buffer.alloc(24);
  image.set([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8]);
  image.writeUInt16BE(height, 13);
  image.writeUInt16BE(width, 15);
  return image;
}

export function webpOf(format: "VP8X" | "VP8L" | "VP8 ", width: number, height: number): Buffer {
  const image = Buffer.alloc(32);
  image.write("RIFF", 0, "latin1");
  image.write(`WEBP${format}`, 8, "latin1");
  if (format === "VP8X") {
    image.writeUIntLE(width - 1, 24, 3);
    image.writeUIntLE(height - 1, 27, 3);
  } else if (format === "VP8L") {
    image.writeUInt8(0x2f, 20);
    image.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    image.writeUInt16LE(width, 26);
    image.writeUInt16LE(height, 28);
  }
  return image;
}
