import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../lib/canonical-json.ts";
import { firstCharacters } from "../lib/cut-text.ts";

/** A tool as its server describes it, as far as it is used. */
export const ListedTool = z.object({
  name: z.string().min(1).max(300),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  readOnly: z.boolean(),
});
export type ListedTool = z.infer<typeof ListedTool>;

/** What a server offers. It is kept, so that a member has its tools before the server is started. */
export const ServerList = z.object({
  tools: z.array(ListedTool),
  hasResources: z.boolean(),
  hasPrompts: z.boolean(),
});
export type ServerList = z.infer<typeof ServerList>;

const listLimits = {
  /** Of one server. */
  tools: 1_000,
  /** Of the schema of one tool, as JSON. */
  schemaBytes: 32_768,
  descriptionCharacters: 4_000,
  /** Nesting of a schema. */
  depth: 32,
} as const;

/** What a server says of a tool, before anything of it is trusted. */
interface DescribedTool {
  name: string;
  description?: string | undefined;
  inputSchema: object;
  annotations?: { readOnlyHint?: boolean | undefined } | undefined;
}

/** The tools that can be used; a schema that is too large for any model is left open. */
export function listedTools(tools: readonly DescribedTool[]): ListedTool[] {
  const names = new Set<string>();
  const listed: ListedTool[] = [];
  for (const { name, description, inputSchema, annotations } of tools) {
    if (listed.length >= listLimits.tools) break;
    if (name === "" || name.length > 300 || names.has(name)) continue;
    names.add(name);
    listed.push({
      name,
      ...(description && {
        description: firstCharacters(description, listLimits.descriptionCharacters),
      }),
      inputSchema: bounded(inputSchema),
      readOnly: annotations?.readOnlyHint === true,
    });
  }
  return listed;
}

function bounded(schema: object): Record<string, unknown> {
  const isSmall =
    depthOf(schema) <= listLimits.depth &&
    Buffer.byteLength(JSON.stringify(schema)) <= listLimits.schemaBytes;
  return isSmall ? { ...schema } : { type: "object" };
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > listLimits.depth) return depth;
  return Math.max(depth, ...Object.values(value).map((part) => depthOf(part, depth + 1)));
}

/** Another text for another list. */
export function listDigest(list: ServerList): string {
  return createHash("sha256").update(canonicalJson(list)).digest("hex").slice(0, 16);
}
