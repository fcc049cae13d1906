import { readFile } from "node:fs/promises";
import type { Rolldown } from "tsdown";

/** What needs all of Zod, and is rarely loaded: what makes schemas of JSON Schemas, and the packages of MCP. */
const users = /src\/team\/protocols\/result-schema\.ts$|node_modules\/@modelcontextprotocol\//;
const copy = "?copy";

/**
 * Keeps out of every start what only few programs need of Zod.
 *
 * `fromJSONSchema` uses all of Zod's types, and so do the packages of MCP. They get a copy of Zod, so that the
 * other one has only the types that the rest of the code names.
 *
 * The AI SDK also accepts schemas of Zod 3, which it recognizes by their kinds. None are passed to
 * the bundled SDK.
 */
export function zodParts(): Rolldown.Plugin {
  return {
    name: "zod-parts",
    async resolveId(source, importer) {
      if (source === "zod/v3") return { id: "\0zod-3-kinds", moduleSideEffects: false };
      const isCopied =
        importer?.endsWith(copy) || (/^zod(\/v4)?$/.test(source) && users.test(importer ?? ""));
      if (!isCopied) return undefined;
      const original = importer?.replace(copy, "");
      const resolved = await this.resolve(source, original, { skipSelf: true });
      return resolved && { id: `${resolved.id}${copy}`, moduleSideEffects: false };
    },
    load(id) {
      if (id === "\0zod-3-kinds") return "export const ZodFirstPartyTypeKind = {};\n";
      return id.endsWith(copy) ? readFile(id.replace(copy, ""), "utf8") : undefined;
    },
  };
}
