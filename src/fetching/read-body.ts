import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { TextDecoder } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** More is no page for reading. It counts after decompression, too. */
const maxBytes = 2_000_000;

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The text of an answer, up to a limit. Throws where it cannot be read. */
export async function readBody(
  answer: IncomingMessage,
  headers: IncomingHttpHeaders,
  signal: AbortSignal,
): Promise<{ text: string; isCut: boolean }> {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const decompress = decompressors[encoding];
  if (!decompress && encoding !== "identity") {
    answer.destroy();
    throw new Error(`it is compressed in a way that is not supported (${encoding.slice(0, 40)})`);
  }
  const body = decompress ? decompressed(answer, decompress()) : answer;
  const { bytes, isCut } = await firstBytes(body, signal);
  answer.destroy();
  const text = decoderFor(headers["content-type"] ?? "", bytes).decode(bytes, { stream: isCut });
  return { text, isCut };
}

/** An error of the answer is one of what it is decompressed to. */
function decompressed(answer: IncomingMessage, into: Transform): Transform {
  answer.on("error", (error) => into.destroy(error));
  return answer.pipe(into);
}

async function firstBytes(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  signal: AbortSignal,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => void body.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, maxBytes), isCut: size > maxBytes };
}

/** By the header, else by what a page says of itself in its beginning. */
function decoderFor(contentType: string, bytes: Buffer): TextDecoder {
  const stated = /charset=["']?([\w:-]+)/i;
  const [, name] =
    stated.exec(contentType) ?? stated.exec(bytes.subarray(0, 1_024).toString("latin1")) ?? [];
  return orUtf8(name);
}

function orUtf8(name: string | undefined): TextDecoder {
  try {
    return new TextDecoder(name ?? "utf-8");
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}
