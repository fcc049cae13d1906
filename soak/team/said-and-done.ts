import { z } from "zod";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";

const Block = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({ type: z.literal("tool_result"), tool_use_id: z.string(), content: z.unknown() }),
]);
type Block = z.infer<typeof Block>;

const Content = z.union([
  z.string().transform((text): Block[] => [{ type: "text", text }]),
  z.array(Block),
]);

interface Call {
  name: string;
  input: Record<string, unknown>;
  result: string;
}

/** What a member's model finds in a request: its own replies and their results. */
export interface Memory {
  replies: number;
  calls: Call[];
  /** The tools that its last reply called. */
  lastCalled: string[];
  /** Everything it was shown, including results. */
  shown: string;
}

export function recall({ body }: ProviderRequest): Memory {
  const messages = body.messages.map(({ role, content }) => ({
    role,
    blocks: Content.parse(content),
  }));
  const results = new Map<string, string>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "tool_result") {
        results.set(block.tool_use_id, JSON.stringify(block.content));
      }
    }
  }
  const replies = messages.filter(({ role }) => role === "assistant");
  return {
    replies: replies.length,
    calls: replies.flatMap(({ blocks }) => blocks.flatMap((block) => callOf(block, results))),
    lastCalled: (replies.at(-1)?.blocks ?? []).flatMap((block) =>
      block.type === "tool_use" ? [block.name] : [],
    ),
    shown: JSON.stringify(messages.filter(({ role }) => role === "user")),
  };
}

function callOf(block: Block, results: ReadonlyMap<string, string>): Call[] {
  if (block.type !== "tool_use") return [];
  const { id, name, input } = block;
  return [{ name, input, result: results.get(id) ?? "" }];
}

/** True if it is unknown whether a call has had its effect. */
export function isUnknown(result: string): boolean {
  return result.includes("Outcome unknown");
}
