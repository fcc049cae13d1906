import { z } from "zod";

/** System, tools and all content blocks of a request in their order, without marks for the cache. */
export function requestBlocks(body: object): string[] {
  const { system, tools, messages, input, contents } = Body.parse(body);
  const blocks = messages.flatMap(({ role, content, tool_calls, tool_call_id }) => {
    // A single text may stand alone, and means the same.
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
    return [...parts, ...(tool_calls ?? [])].map((block) => ({ role, tool_call_id, block }));
  });
  // A message of the Responses API grows while nobody has answered it.
  const items = input.flatMap(({ content, ...item }): object[] => {
    return Array.isArray(content)
      ? content.map((part) => ({ ...item, part }))
      : [{ ...item, content }];
  });
  const turns = contents.flatMap(({ role, parts }) => parts.map((part) => ({ role, part })));
  return [...[system ?? []].flat(), ...tools, ...blocks, ...items, ...turns].map((it) =>
    JSON.stringify(it, (key, value) => (key === "cache_control" ? undefined : value)),
  );
}

const Body = z.object({
  system: z.unknown().optional(),
  tools: z.array(z.unknown()),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.union([z.string(), z.array(z.unknown())]).nullish(),
      tool_calls: z.array(z.unknown()).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  input: z.array(z.looseObject({ content: z.unknown().optional() })).default([]),
  contents: z.array(z.object({ role: z.string(), parts: z.array(z.unknown()) })).default([]),
});
