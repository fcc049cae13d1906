import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import { imageLimits, imageSizeOf, imageTypeOf } from "../lib/image.ts";
import type { ModelImage } from "../protocol/transcript.ts";
import type { ToolOutput } from "../tools/tool.ts";

/** Keeps what is no text in a file, and returns its path; undefined where it is too large. */
export type KeepBytes = (name: string, bytes: Uint8Array) => Promise<string | undefined>;

/** The most parts of one result that are shown. */
const maxParts = 1_000;

/** The result of a call as the model is shown it: what a server says is data, and stays in its place. */
export async function shownResult(
  { content, structuredContent, isError }: CallToolResult,
  keep: { name: string; keepBytes: KeepBytes },
): Promise<ToolOutput> {
  const { texts, images } = await shownContent(content, keep);
  if (texts.length === 0 && structuredContent !== undefined) {
    texts.push(escapeWrapper(JSON.stringify(structuredContent, null, 1)));
  }
  const text = texts.join("\n") || (images.length > 0 ? "(an image)" : "(no output)");
  return { text, isError: isError === true, ...(images.length > 0 && { images }) };
}

/** The parts of a result, a resource or a prompt. */
export async function shownContent(
  content: readonly ContentBlock[],
  keep: { name: string; keepBytes: KeepBytes },
): Promise<{ texts: string[]; images: ModelImage[] }> {
  const texts: string[] = [];
  const images: ModelImage[] = [];
  let bytes = 0;
  for (const block of content.slice(0, maxParts)) {
    const image = block.type === "image" ? modelImage(block.data) : undefined;
    bytes += image?.data.length ?? 0;
    const hasRoom = images.length < imageLimits.count && bytes <= imageLimits.totalBytes;
    if (image && hasRoom) images.push(image);
    else texts.push(await textOf(block, keep));
  }
  const left = content.length - maxParts;
  if (left > 0) texts.push(`(${left} more parts are left out)`);
  return { texts, images };
}

/** Undefined for what providers would refuse. */
function modelImage(data: string): ModelImage | undefined {
  const bytes = Buffer.from(data, "base64");
  const type = imageTypeOf(bytes);
  if (!type || bytes.length > imageLimits.bytes) return undefined;
  const sides = imageSizeOf(bytes, type);
  if (!sides?.every((side) => side > 0 && side <= imageLimits.pixels)) return undefined;
  return { media_type: type, data: bytes.toString("base64") };
}

async function textOf(
  block: ContentBlock,
  keep: { name: string; keepBytes: KeepBytes },
): Promise<string> {
  switch (block.type) {
    case "text":
      return escapeWrapper(block.text);
    case "image":
    case "audio":
      return kept(block.mimeType, block.data, keep);
    case "resource_link":
      return escapeWrapper(`[resource ${block.uri}${block.name ? `: ${block.name}` : ""}]`);
    case "resource": {
      const { resource } = block;
      return "text" in resource
        ? escapeWrapper(`[resource ${resource.uri}]\n${resource.text}`)
        : kept(resource.mimeType ?? "bytes", resource.blob, keep);
    }
  }
}

async function kept(
  kind: string,
  data: string,
  { name, keepBytes }: { name: string; keepBytes: KeepBytes },
): Promise<string> {
  const bytes = Buffer.from(data, "base64");
  const path = await keepBytes(name, bytes);
  const what = escapeWrapper(kind.slice(0, 100).replace(/\s+/g, " "));
  const where = path === undefined ? "too large to be kept" : `in ${path}`;
  return `[${what}, ${bytes.length} bytes, ${where}]`;
}
