import { z } from "zod";
import { imageTypeOf } from "../../lib/image.ts";

/** Anthropic's limit, which is the smallest of these APIs, for an image as it is sent. */
const maxCharacters = 5 * 1024 * 1024;

/** The kinds that Anthropic and OpenAI take. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** Fields of an image: checks that the data are what the media type says, and not too large. */
export function checkImage(
  { type, data }: { type: string; data: string },
  context: z.RefinementCtx,
): void {
  const problem = imageProblem(type, data);
  if (problem) context.addIssue({ code: "custom", message: problem });
}

/** An image as OpenAI has it in both of its APIs: in its address. */
export const ImageUrl = z.string().superRefine((url, context) => {
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (type === undefined || data === undefined) {
    context.addIssue({ code: "custom", message: "Expected a base64-encoded data URL" });
  } else checkImage({ type, data }, context);
});

function imageProblem(type: string, data: string): string | undefined {
  if (data.length > maxCharacters) {
    return `image exceeds 5 MB maximum: ${data.length} bytes > ${maxCharacters} bytes`;
  }
  const bytes = Buffer.from(data, "base64");
  if (bytes.toString("base64") !== data) return "invalid base64 data";
  const found = imageTypeOf(bytes);
  if (found === undefined) return "Could not process image";
  if (found === type) return undefined;
  return `Image does not match the provided media type ${type}: it appears to be ${found}`;
}
