import { z } from "zod";
import { describeIssue } from "../../lib/json.ts";
import { googleSignature } from "./google-wire.ts";
import type { ProviderRefusal, ProviderRequest } from "./provider-api.ts";
import { checkImage } from "./strict-images.ts";

/** Gemini takes no GIF. */
const InlineData = z
  .strictObject({ mimeType: z.enum(["image/png", "image/jpeg", "image/webp"]), data: z.string() })
  .superRefine(({ mimeType: type, data }, context) => checkImage({ type, data }, context));

const GooglePart = z.looseObject({
  text: z.string().optional(),
  functionCall: z.looseObject({ name: z.string(), args: z.unknown() }).optional(),
  functionResponse: z.looseObject({ name: z.string() }).optional(),
  inlineData: InlineData.optional(),
  thoughtSignature: z.string().optional(),
});
type GooglePart = z.infer<typeof GooglePart>;
const GoogleContent = z.looseObject({
  role: z.enum(["user", "model"]),
  parts: z.array(GooglePart).min(1, "contents.parts must not be empty."),
});
type GoogleContent = z.infer<typeof GoogleContent>;
const Declaration = z.looseObject({
  name: z.string().regex(/^[a-z_][\w.-]{0,63}$/i, "Invalid function name."),
});
const Body = z.looseObject({
  contents: z.array(GoogleContent).min(1),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(Declaration).default([]) }))
    .default([]),
});

/** Google accepts it in place of a signature, for calls that another model has made. */
const noSignature = "skip_thought_signature_validator";

/** Why the API would refuse `request`. */
export function refuseGoogle({ headers, body }: ProviderRequest): ProviderRefusal | undefined {
  if (headers["x-goog-api-key"] === undefined) {
    return { status: 403, message: "Method doesn't allow unregistered callers." };
  }
  const parsed = Body.safeParse(body);
  if (!parsed.success) return { status: 400, message: describeIssue(parsed.error) };
  const { contents, tools } = parsed.data;
  const names = tools.flatMap(({ functionDeclarations }) =>
    functionDeclarations.map(({ name }) => name),
  );
  const message =
    duplicateIn(names) ??
    contents.map((_, index) => problemAt(contents, index)).find((each) => each !== undefined) ??
    (hasSignatures(body.model) ? unsigned(contents) : undefined);
  return message === undefined ? undefined : { status: 400, message };
}

function duplicateIn(names: readonly string[]): string | undefined {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice && `Duplicate function declaration found: ${twice}`;
}

/** What is wrong with one content, and with the one before it. */
function problemAt(contents: readonly GoogleContent[], index: number): string | undefined {
  const parts = contents[index]?.parts ?? [];
  const before = contents[index - 1];
  const after = contents[index + 1];
  if (parts.some((part) => !hasData(part))) {
    return `contents[${index}].parts: required oneof field 'data' must have one initialized field`;
  }
  const calls = callsIn(parts);
  const answers = answersIn(parts);
  if (calls.length > 0 && before?.role !== "user") {
    return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  }
  if (calls.length > 0 && calls.length !== answersIn(after?.parts ?? []).length) {
    return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }
  if (answers.length > 0 && callsIn(before?.parts ?? []).length === 0) {
    return "Please ensure that function response turn comes immediately after a function call turn.";
  }
  const asked = callsIn(before?.parts ?? []);
  if (answers.some((name, place) => name !== asked[place])) {
    return "Please ensure that the function response has the name of its function call.";
  }
  return undefined;
}

function hasData({ text, functionCall, functionResponse, inlineData }: GooglePart): boolean {
  return (
    Boolean(text) || [functionCall, functionResponse, inlineData].some((it) => it !== undefined)
  );
}

function callsIn(parts: readonly GooglePart[]): string[] {
  return parts.flatMap(({ functionCall }) => functionCall?.name ?? []);
}

function answersIn(parts: readonly GooglePart[]): string[] {
  return parts.flatMap(({ functionResponse }) => functionResponse?.name ?? []);
}

function hasSignatures(model: string): boolean {
  return /^gemini-([3-9]|\d\d)/.test(model);
}

/** Since Gemini 3, the first call of each reply in the current turn has the signature it came with. */
function unsigned(contents: readonly GoogleContent[]): string | undefined {
  const begin = contents.findLastIndex(
    ({ role, parts }) => role === "user" && answersIn(parts).length === 0,
  );
  for (const { parts } of contents.slice(begin + 1)) {
    const first = parts.find(({ functionCall }) => functionCall);
    if (!first?.functionCall || first.thoughtSignature === noSignature) continue;
    const { name, args } = first.functionCall;
    if (first.thoughtSignature === undefined) {
      return `Function call is missing a thought_signature in functionCall parts. (${name})`;
    }
    if (first.thoughtSignature !== googleSignature(name, args))
      return "Corrupted thought signature.";
  }
  return undefined;
}
