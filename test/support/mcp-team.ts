import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { McpServers } from "../../src/protocol/mcp-servers.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamOptions } from "../../src/team/team-options.ts";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { teamPlace } from "./team.ts";

const require = createRequire(import.meta.url);

/** How to start one of the reference servers, which are real programs of others. */
export function referenceServer(
  name: "everything" | "filesystem" | "memory",
  ...args: string[]
): { command: string; args: string[] } {
  const root = dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`));
  return { command: process.execPath, args: [join(root, "dist/index.js"), ...args] };
}

/** A team on a scripted model, whose members have these servers. */
export async function teamWith(
  root: string,
  model: ScriptedModel,
  options: Partial<TeamOptions> & { servers: McpServers; untrusted?: string[] },
): Promise<{ team: Team; warnings: string[] }> {
  const warnings: string[] = [];
  const { servers, untrusted, ...others } = options;
  const team = await Team.open({
    cwd: root,
    place: teamPlace(root, { onWarning: (message) => void warnings.push(message) }),
    env: { PATH: process.env.PATH, HOME: root },
    model: "scripted/model",
    openModel: () => model,
    mcp: { servers, untrusted },
    ...others,
  });
  return { team, warnings };
}

/** The outputs of all calls that the model was shown, in order. */
export function outputsOf(model: ScriptedModel): { output: string; is_error: boolean }[] {
  const { conversation = [] } = model.requests.at(-1) ?? {};
  return conversation.flatMap((part) => (part.type === "results" ? part.results : []));
}

export function toolNames(model: ScriptedModel, request = 0): string[] {
  return (model.requests[request]?.tools ?? []).map(({ name }) => name);
}
