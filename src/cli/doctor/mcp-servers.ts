import { TeamError } from "../../errors.ts";
import {
  type ConfiguredServer,
  configuredServers,
  transportOf,
} from "../mcp/configured-servers.ts";
import type { RepositoryPlace } from "../settings/repository-files.ts";
import type { Check, Finding } from "./check.ts";

/** The MCP servers that are configured. None is started: `troupe mcp test` does that. */
export function mcpServerChecks(place: RepositoryPlace): Check[] {
  return [{ name: "mcp", look: () => serverFindings(place) }];
}

async function serverFindings(place: RepositoryPlace): Promise<Finding[]> {
  try {
    const { servers, problems } = await configuredServers(place);
    const wrong = problems.map((text): Finding => ({ state: "note", text }));
    return [...servers.map(serverFinding), ...wrong];
  } catch (error) {
    // The check of the settings says what is wrong in them.
    if (error instanceof TeamError) return [];
    throw error;
  }
}

function serverFinding({ name, path, entry, unused, knownTools }: ConfiguredServer): Finding {
  const about = `${name} (${transportOf(entry)}, ${path})`;
  if (unused === undefined) {
    const tools = knownTools === undefined ? "not started yet" : `${knownTools} tools`;
    return { state: "ok", text: `${about}: ${tools}` };
  }
  const isUnset = unused.includes("not set");
  const remedy = isUnset ? { remedy: "Set them, or give each a default after `:-`." } : {};
  return {
    state: isUnset ? "problem" : "note",
    text: `${about} is not used: ${unused}`,
    ...remedy,
  };
}
