import { z } from "zod";
import { describeIssue } from "../../lib/json.ts";
import type { ProviderRefusal, ProviderRequest } from "./provider-api.ts";
import { ImageUrl } from "./strict-images.ts";
import { isJson } from "./strict-openai.ts";
import type { SentThoughts } from "./strict-thoughts.ts";

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const InputParts = z
  .array(
    z.discriminatedUnion("type", [
      z.looseObject({ type: z.literal("input_text"), text: z.string() }),
      z.strictObject({
        type: z.literal("input_image"),
        image_url: ImageUrl,
        detail: z.enum(["auto", "low", "high"]).optional(),
      }),
    ]),
  )
  .min(1);

const FunctionCall = z.looseObject({
  type: z.literal("function_call"),
  call_id: z.string().min(1),
  name,
  arguments: z.string().refine(isJson, "arguments must be JSON"),
});
const FunctionOutput = z.looseObject({
  type: z.literal("function_call_output"),
  call_id: z.string().min(1),
  output: z.union([z.string(), InputParts]),
});
const Reasoning = z.looseObject({
  type: z.literal("reasoning"),
  id: z.string().optional(),
  encrypted_content: z.string(),
  summary: z.array(z.looseObject({ type: z.literal("summary_text"), text: z.string() })),
});
const InputMessage = z.looseObject({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user"]),
  content: z.union([z.string().min(1), InputParts]),
});
const OutputMessage = z.looseObject({
  type: z.literal("message").optional(),
  role: z.literal("assistant"),
  content: z
    .array(z.looseObject({ type: z.literal("output_text"), text: z.string().min(1) }))
    .min(1),
});
const ResponsesItem = z.union([
  FunctionCall,
  FunctionOutput,
  Reasoning,
  InputMessage,
  OutputMessage,
]);
type ResponsesItem = z.infer<typeof ResponsesItem>;

const Body = z.looseObject({
  stream: z.literal(true),
  // Nothing of a team is to be kept at the provider.
  store: z.literal(false),
  previous_response_id: z.undefined().optional(),
  tools: z.array(z.looseObject({ type: z.literal("function"), name })).optional(),
  reasoning: z
    .looseObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
      summary: z.enum(["auto", "concise", "detailed"]).optional(),
    })
    .optional(),
  input: z.array(ResponsesItem).min(1),
});

/** Why the API would refuse `request`. */
export function refuseResponses(
  { headers, body }: ProviderRequest,
  thoughts: SentThoughts,
): ProviderRefusal | undefined {
  if (headers.authorization === undefined) {
    return { status: 401, message: "You didn't provide an API key." };
  }
  const parsed = Body.safeParse(body);
  if (!parsed.success) return { status: 400, message: describeIssue(parsed.error) };
  const { input } = parsed.data;
  const message =
    wrongMark(body) ??
    wrongOutputs(input) ??
    wrongThoughts(input, { model: body.model, thoughts }) ??
    wrongEnd(input);
  return message === undefined ? undefined : { status: 400, message };
}

function isReasoning(item: ResponsesItem | undefined): item is z.infer<typeof Reasoning> {
  return item?.type === "reasoning";
}

function isByModel(item: ResponsesItem | undefined): boolean {
  if (item === undefined) return false;
  return item.type === "function_call" || ("role" in item && item.role === "assistant");
}

/** Only GPT-5.6 and later models know marks for the cache. */
function wrongMark({ model, input }: ProviderRequest["body"]): string | undefined {
  const [, major, minor] = (/^gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? []).map((part) =>
    Number(part ?? 0),
  );
  const knowsMarks = (major ?? 0) * 100 + (minor ?? 0) >= 506;
  if (knowsMarks || !JSON.stringify(input).includes('"prompt_cache_breakpoint":{'))
    return undefined;
  return `Unsupported parameter: 'prompt_cache_breakpoint' is not supported with ${model}.`;
}

function wrongOutputs(input: readonly ResponsesItem[]): string | undefined {
  const open = new Set<string>();
  const all = new Set<string>();
  for (const item of input) {
    if (item.type === "function_call_output" && "call_id" in item) {
      const id = String(item.call_id);
      if (!open.delete(id))
        return `No tool call found for function call output with call_id ${id}.`;
    } else if (item.type === "function_call" && "call_id" in item) {
      const id = String(item.call_id);
      if (all.has(id)) return `Duplicate function call with call_id ${id}.`;
      open.add(id);
      all.add(id);
    } else if ("role" in item && item.role !== "assistant" && open.size > 0) {
      return noOutput(open);
    }
  }
  return open.size > 0 ? noOutput(open) : undefined;
}

function noOutput(open: ReadonlySet<string>): string {
  return `No tool output found for function call ${[...open].join(", ")}.`;
}

function wrongThoughts(
  input: readonly ResponsesItem[],
  { model, thoughts }: { model: string; thoughts: SentThoughts },
): string | undefined {
  for (const [index, item] of input.entries()) {
    if (!isReasoning(item)) continue;
    const next = input[index + 1];
    const text = item.summary.map((part) => part.text).join("");
    const sent = thoughts.get(item.encrypted_content);
    if (sent?.text !== text || sent.model !== model) {
      return `input.${index}: The encrypted content for item ${item.id} could not be verified.`;
    }
    if (!isReasoning(next) && !isByModel(next)) {
      return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    }
  }
  return undefined;
}

function wrongEnd(input: readonly ResponsesItem[]): string | undefined {
  const last = input.at(-1);
  if (!isByModel(last)) return undefined;
  return "The last item must not be the model's: it would continue it";
}
