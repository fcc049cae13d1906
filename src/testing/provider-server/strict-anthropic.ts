import { z } from "zod";
import { describeIssue } from "../../lib/json.ts";
import type { ProviderRefusal, ProviderRequest } from "./provider-api.ts";
import { checkImage, imageTypes } from "./strict-images.ts";
import { wrongThinking } from "./strict-thinking.ts";
import { prefixOf, type SentThoughts } from "./strict-thoughts.ts";

const cached = {
  cache_control: z
    .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
    .optional(),
};

const Text = z.looseObject({
  type: z.literal("text"),
  text: z.string().regex(/\S/, "text content blocks must contain non-whitespace text"),
  ...cached,
});

const Image = z.strictObject({
  type: z.literal("image"),
  source: z
    .strictObject({
      type: z.literal("base64"),
      media_type: z.enum(imageTypes),
      data: z.string(),
    })
    .superRefine(({ media_type: type, data }, context) => checkImage({ type, data }, context)),
  ...cached,
});

const ToolUse = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  ...cached,
});

const ToolResult = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.union([Text, Image]))]).optional(),
  is_error: z.boolean().optional(),
  ...cached,
});

const Thinking = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().min(1),
});

const RedactedThinking = z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() });

/** Content as blocks; a string becomes one text block. */
function contentOf<Block extends z.ZodType>(block: Block) {
  return z.preprocess(
    (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content),
    z.array(block).min(1, "all messages must have non-empty content"),
  );
}

const AnthropicMessage = z.discriminatedUnion("role", [
  z.looseObject({
    role: z.literal("user"),
    content: contentOf(z.discriminatedUnion("type", [Text, Image, ToolResult])),
  }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentOf(z.discriminatedUnion("type", [Text, ToolUse, Thinking, RedactedThinking])),
  }),
]);
type AnthropicMessage = z.infer<typeof AnthropicMessage>;

const AnthropicBody = z.looseObject({
  max_tokens: z.int().positive(),
  stream: z.literal(true),
  system: z.union([z.string(), z.array(Text)]).optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        input_schema: z.looseObject({ type: z.literal("object") }),
        ...cached,
      }),
    )
    .optional(),
  messages: z.array(AnthropicMessage).min(1, "at least one message is required"),
});
type AnthropicBody = z.infer<typeof AnthropicBody>;

/** Why the API would refuse `request`. */
export function refuseAnthropic(
  request: ProviderRequest,
  thoughts: SentThoughts,
): ProviderRefusal | undefined {
  const { headers, body } = request;
  if (headers["x-api-key"] === undefined && headers.authorization === undefined) {
    return { status: 401, message: "x-api-key header is required" };
  }
  if (headers["anthropic-version"] === undefined)
    return refusal("anthropic-version: header is required");
  const parsed = AnthropicBody.safeParse(body);
  if (!parsed.success) return refusal(describeIssue(parsed.error));
  const message =
    wrongTools(parsed.data) ??
    wrongMarks(parsed.data) ??
    wrongRoles(parsed.data.messages) ??
    wrongCalls(parsed.data.messages) ??
    wrongThinking(body, parsed.data.messages) ??
    wrongThoughts(parsed.data.messages, { request, thoughts });
  return message === undefined ? undefined : refusal(message);
}

function refusal(message: string): ProviderRefusal {
  return { status: 400, message };
}

function wrongTools({ tools = [] }: AnthropicBody): string | undefined {
  if (new Set(tools.map(({ name }) => name)).size === tools.length) return undefined;
  return "tools: Tool names must be unique.";
}

function wrongMarks({ tools, system, messages }: AnthropicBody): string | undefined {
  const marks = [
    ...JSON.stringify([tools, system, messages]).matchAll(/"cache_control":(\{.*?\})/g),
  ];
  if (marks.length > 4) {
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`;
  }
  const lives = marks.map(([, mark = ""]) => (mark.includes('"ttl":"1h"') ? "1h" : "5m"));
  const isMixedUp = lives.some((life, index) => life === "1h" && lives[index - 1] === "5m");
  if (!isMixedUp) return undefined;
  return "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block";
}

function wrongRoles(messages: readonly AnthropicMessage[]): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role === "assistant") {
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  }
  const repeated = messages.find(({ role }, index) => role === messages[index - 1]?.role);
  if (!repeated) return undefined;
  // The API itself would join them. Ours must not need that: each request is a prefix of the next
  // one.
  return `messages: roles must alternate, but found multiple "${repeated.role}" roles in a row`;
}

function wrongCalls(messages: readonly AnthropicMessage[]): string | undefined {
  const ids = messages.flatMap(callsOf);
  if (new Set(ids).size < ids.length) return "messages: `tool_use` ids must be unique";
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    const wrong = wrongResults(message, previous ? callsOf(previous) : []);
    if (wrong) return `messages.${index}: ${wrong}`;
  }
  return undefined;
}

function wrongResults(message: AnthropicMessage, called: readonly string[]): string | undefined {
  const results = resultsOf(message);
  const unexpected = results.find((id) => !called.includes(id));
  if (unexpected) {
    return `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  const missing = called.filter((id) => !results.includes(id));
  if (missing.length > 0) {
    return `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  }
  if (new Set(results).size < results.length) {
    return "each tool_use must have a single result. Found multiple `tool_result` blocks for one id";
  }
  const beginning = message.content.slice(0, results.length);
  if (beginning.every(({ type }) => type === "tool_result")) return undefined;
  return "`tool_result` blocks must come first in the content";
}

/** Models whose thoughts are bound to all that they were shown before. */
const bindsThoughts = /claude-((fable|mythos)-5-[1-9]|(opus|sonnet|haiku)-5-[5-9])/;

function wrongThoughts(
  messages: readonly AnthropicMessage[],
  { request, thoughts }: { request: ProviderRequest; thoughts: SentThoughts },
): string | undefined {
  const { model } = request.body;
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== "assistant") continue;
    const last = content.at(-1)?.type;
    if (last === "thinking" || last === "redacted_thinking") {
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`;
    }
    for (const block of content) {
      if (block.type !== "thinking" && block.type !== "redacted_thinking") continue;
      const isOpen = block.type === "thinking";
      const sent = thoughts.get(isOpen ? block.signature : block.data);
      // The API drops the thoughts of other models. Ours must not send them.
      if (sent?.model !== model || sent.text !== (isOpen ? block.thinking : "")) {
        const seal = isOpen ? "signature" : "data";
        return `messages.${index}: Invalid \`${seal}\` in \`${block.type}\` block`;
      }
      if (bindsThoughts.test(model) && sent.prefix !== prefixOf(request, index)) {
        return `messages.${index}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`;
      }
    }
  }
  return undefined;
}

function callsOf({ role, content }: AnthropicMessage): string[] {
  if (role === "user") return [];
  return content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

function resultsOf({ role, content }: AnthropicMessage): string[] {
  if (role === "assistant") return [];
  return content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
}
