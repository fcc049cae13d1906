import { createHash } from "node:crypto";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import type { McpServer } from "../protocol/mcp-servers.ts";
import { isToolAmong, mcpToolName } from "../protocol/mcp-tool-names.ts";
import type { ToolSpec } from "../protocol/tools.ts";
import type { ListedTool } from "./server-list.ts";

/** A tool of a server under the name that models and rules have for it. */
export interface ServerTool {
  readonly server: string;
  /** Its name at the server. */
  readonly name: string;
  readonly spec: ToolSpec;
  /** What the server says; false unless the person has configured that server. */
  readonly readOnly: boolean;
  /** Whether every provider takes its schema, so that a model can have it directly. */
  readonly isPlain: boolean;
}

/** Every provider takes names of this length. */
const maxNameCharacters = 64;
/** A tool with a larger schema is not given directly. */
const maxDirectSchemaBytes = 8_192;

/** The tools of a server that members may have, in the order of its list. */
export function serverTools(
  server: string,
  {
    entry,
    tools,
    isTrusted,
  }: { entry: McpServer; tools: readonly ListedTool[]; isTrusted: boolean },
): ServerTool[] {
  const chosen = tools.filter(({ name }) => entry.tools?.includes(name) ?? true);
  const names = shownNames(
    server,
    chosen.map(({ name }) => name),
  );
  return chosen.map(({ name, description, inputSchema, readOnly }, index) => ({
    server,
    name,
    spec: {
      name: names[index] ?? "",
      // Its text is data of somebody else.
      description: escapeWrapper(description?.trim() || `${name} of the MCP server ${server}`),
      input_schema: modelSchema(inputSchema),
    },
    readOnly: readOnly && isTrusted,
    isPlain: isPlainSchema(inputSchema),
  }));
}

/** The names without what providers refuse; with a hash where that, or their length, leaves two the same. */
function shownNames(server: string, names: readonly string[]): string[] {
  const plain = names.map((name) =>
    mcpToolName({ server, tool: name.replace(/[^A-Za-z0-9_-]/g, "_") }),
  );
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const shown = plain[index] ?? "";
    const isOwn = shown.endsWith(`__${name}`) || counts.get(shown) === 1;
    if (isOwn && shown.length <= maxNameCharacters) return shown;
    const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
    return `${shown.slice(0, maxNameCharacters - hash.length - 1)}_${hash}`;
  });
}

/** The schema as a model is shown it: providers take an object, and at its top no alternatives. */
function modelSchema(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const left = ["$schema", "$id", "oneOf", "anyOf", "allOf", "not", "enum"];
  const kept = Object.entries(schema).filter(([field]) => !left.includes(field));
  return { ...Object.fromEntries(kept), type: "object" };
}

/** Names of properties that every provider takes. */
const propertyName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Some providers refuse a whole request for one schema that is wrong or refers to itself. */
function isPlainSchema(schema: Readonly<Record<string, unknown>>): boolean {
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > maxDirectSchemaBytes) return false;
  const { properties = {}, required = [] } = schema;
  if (typeof properties !== "object" || properties === null || !Array.isArray(required))
    return false;
  const isNamedWell = Object.keys(properties).every((name) => propertyName.test(name));
  return isNamedWell && !refersToItself(schema);
}

/** True also for a reference to anything but a definition of its own. */
function refersToItself(schema: Readonly<Record<string, unknown>>): boolean {
  const definitions = new Map<string, unknown>(
    ["$defs", "definitions"].flatMap((field) =>
      Object.entries(Object(schema[field])).map(
        ([name, value]) => [`#/${field}/${name}`, value] as const,
      ),
    ),
  );
  const { $defs: _, definitions: __, ...body } = schema;
  // Each definition is followed once, however often it is referred to.
  const harmless = new Set<string>();
  const isCircular = (value: unknown, open: readonly string[]): boolean => {
    if (typeof value !== "object" || value === null) return false;
    const reference: unknown = Reflect.get(value, "$ref");
    if (typeof reference === "string") {
      if (harmless.has(reference)) return false;
      if (open.includes(reference) || !definitions.has(reference)) return true;
      if (isCircular(definitions.get(reference), [...open, reference])) return true;
      harmless.add(reference);
      return false;
    }
    return Object.values(value).some((part) => isCircular(part, open));
  };
  return isCircular(body, []);
}

/** The tools of a member, by names and patterns. */
export interface ChosenTools {
  /** Undefined for all. */
  readonly only: readonly string[] | undefined;
  /** Those that it does not have all the same. */
  readonly without: readonly string[];
}

export function isChosen({ only, without }: ChosenTools, name: string): boolean {
  return (only === undefined || isToolAmong(only, name)) && !isToolAmong(without, name);
}
