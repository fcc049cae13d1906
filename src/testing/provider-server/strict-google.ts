import { z } from "zod";
import { describeIssue } from "../../lib/json.ts";
import type { ProviderRefusal, ProviderRequest } from "./provider-api.ts";
import { checkImage } from "./strict-images.ts";

/** Gemini takes no GIF. */
const InlineData = z
  .strictObject({ mimeType: z.enum(["image/png", "image/jpeg", "image/webp"]), data: z.string() })
  .superRefine(({ mimeType: type, data }, context) => checkImage({ type, data }, context));

const Part = z.looseObject({
  inlineData: InlineData.optional(),
  functionCall: z.looseObject({ name: z.string() }).optional(),
  functionResponse: z.looseObject({ name: z.string() }).optional(),
});
const Body = z.looseObject({
  contents: z
    .array(z.looseObject({ role: z.enum(["user", "model"]), parts: z.array(Part).min(1) }))
    .min(1),
});

/** Why the API would refuse `request`. */
export function refuseGoogle({ headers, body }: ProviderRequest): ProviderRefusal | undefined {
  if (headers["x-goog-api-key"] === undefined) {
    return { status: 403, message: "Method doesn't allow unregistered callers." };
  }
  const parsed = Body.safeParse(body);
  if (!parsed.success) return { status: 400, message: describeIssue(parsed.error) };
  const { contents } = parsed.data;
  for (const [index, { parts }] of contents.entries()) {
    const calls = parts.filter((part) => part.functionCall).length;
    const answers = contents[index + 1]?.parts.filter((part) => part.functionResponse).length;
    if (calls > 0 && calls !== answers) {
      const message =
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
      return { status: 400, message };
    }
  }
  return undefined;
}
