import { z } from "zod";
import { describeIssue } from "../../lib/json.ts";
import type { ProviderRefusal, ProviderRequest } from "./provider-api.ts";
import { ImageUrl } from "./strict-images.ts";

const Part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({
      url: ImageUrl,
      detail: z.enum(["auto", "low", "high"]).optional(),
    }),
  }),
]);
const Content = z.union([z.string(), z.array(Part).min(1)]);

const ToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.looseObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string().refine(isJson, "arguments must be JSON"),
  }),
});

const OpenAiMessage = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: Content }),
  z.looseObject({ role: z.literal("developer"), content: Content }),
  z.looseObject({ role: z.literal("user"), content: Content }),
  z
    .looseObject({
      role: z.literal("assistant"),
      content: Content.nullish(),
      tool_calls: z.array(ToolCall).min(1).optional(),
    })
    .refine(
      ({ content, tool_calls }) => (content?.length ?? 0) > 0 || tool_calls,
      "an assistant message needs content or tool_calls",
    ),
  z.looseObject({ role: z.literal("tool"), content: Content, tool_call_id: z.string() }),
]);
type OpenAiMessage = z.infer<typeof OpenAiMessage>;

const Body = z.looseObject({
  stream: z.literal(true),
  tools: z
    .array(
      z.looseObject({
        type: z.literal("function"),
        function: z.looseObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/) }),
      }),
    )
    .optional(),
  messages: z.array(OpenAiMessage).min(1),
});

/** Why the API would refuse `request`. */
export function refuseOpenAi({ headers, body }: ProviderRequest): ProviderRefusal | undefined {
  if (headers.authorization === undefined) {
    return { status: 401, message: "You didn't provide an API key." };
  }
  const parsed = Body.safeParse(body);
  if (!parsed.success) return { status: 400, message: describeIssue(parsed.error) };
  const { messages } = parsed.data;
  const message = wrongTurns(messages) ?? wrongResults(messages);
  return message === undefined ? undefined : { status: 400, message };
}

function wrongTurns(messages: readonly OpenAiMessage[]): string | undefined {
  if (messages.at(-1)?.role === "assistant") {
    return "The last message must not be the assistant's: the model would continue it";
  }
  for (const [index, { role }] of messages.entries()) {
    if (role === messages[index - 1]?.role && role !== "tool") {
      // The API itself accepts them. Our conversations always alternate.
      return `messages.${index}: two messages of role '${role}' in a row`;
    }
  }
  return undefined;
}

function wrongResults(messages: readonly OpenAiMessage[]): string | undefined {
  let open = new Set<string>();
  const all = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) {
        return `messages.${index}: messages with role 'tool' must be a response to a preceding message with 'tool_calls'; '${message.tool_call_id}' is unknown or already answered`;
      }
      continue;
    }
    if (open.size > 0) return unanswered(open);
    if (message.role !== "assistant") continue;
    const ids = (message.tool_calls ?? []).map(({ id }) => id);
    open = new Set(ids);
    if (open.size < ids.length || ids.some((id) => all.has(id))) {
      return `messages.${index}: Duplicate value for 'tool_call_id'`;
    }
    for (const id of ids) all.add(id);
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function unanswered(ids: ReadonlySet<string>): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}
