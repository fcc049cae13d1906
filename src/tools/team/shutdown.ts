import { z } from "zod";
import { parseMemberName } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText } from "./inputs.ts";
import type { LeadAccess, TeammateAccess } from "./team-access.ts";

export const requestShutdown = coordinationTool({
  name: "shutdown_request",
  description: "Ask a teammate to end; its answer comes as mail. force does not ask.",
  input: z.object({ teammate: FilledText, force: z.boolean().optional() }),
  async answer({ teammate, force = false }, { leadership }: { leadership: LeadAccess }) {
    const request = await leadership.requestShutdown(teammate, { force });
    if (!request) return `'${parseMemberName(teammate)}' was shut down`;
    return `Shutdown request ${request.id} sent to '${request.to}' (status: ${request.state})`;
  },
});

/** The state of a shutdown. Only the teammate can answer it. */
export const showShutdown = coordinationTool({
  name: "shutdown_response",
  description: "State of a shutdown request.",
  input: z.object({ request_id: FilledText }),
  async answer({ request_id: id }, { leadership }: { leadership: LeadAccess }) {
    const request = await leadership.findShutdown(id);
    return JSON.stringify(request ? withoutSignatures(request) : { error: "not found" });
  },
});

/** The request without its signature, which is useless to a model. */
function withoutSignatures({ sig: _, decision, ...request }: TeamRequest): object {
  if (!decision) return { ...request, decision };
  const { sig: __, ...answer } = decision;
  return { ...request, decision: answer };
}

export const answerShutdown = coordinationTool({
  name: "shutdown_response",
  description: "Approving a shutdown_request ends you; refuse with a reason.",
  input: z.object({ request_id: FilledText, approve: z.boolean(), reason: z.string().optional() }),
  async answer({ request_id: id, ...answer }, { following }: { following: TeammateAccess }) {
    await following.answerShutdown(id, answer);
    return answer.approve ? "Shutdown approved" : "Shutdown rejected";
  },
});
