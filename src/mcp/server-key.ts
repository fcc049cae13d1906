import { createHash } from "node:crypto";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { McpServer } from "../protocol/mcp-servers.ts";

interface KeyedServer {
  readonly name: string;
  readonly entry: McpServer;
  /** Whether it is the person's own. */
  readonly isTrusted: boolean;
  /** The workspace of the team. */
  readonly root: string;
}

/** Another text for another definition of a server. */
export function serverKey({ name, entry, isTrusted, root }: KeyedServer): string {
  // A path in a repository's file means another program in another repository.
  const basis = [name, entry, isTrusted ? "" : root];
  return createHash("sha256").update(canonicalJson(basis)).digest("hex");
}
