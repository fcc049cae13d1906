import { z } from "zod";
import { parseMemberName } from "../../protocol/ids.ts";
import type { Request } from "../../protocol/request.ts";
import type { Tool } from "../tool.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText } from "./inputs.ts";
import type { LeadAccess, TeammateAccess } from "./team-access.ts";

const ShutdownRequestInput = z.object({ teammate: FilledText, force: z.boolean().optional() });

export function shutdownRequestTool({ leadership }: { leadership: LeadAccess }): Tool {
  return coordinationTool({
    name: "shutdown_request",
    description: "Ask a teammate to end; its answer comes as mail. force does not ask.",
    input: ShutdownRequestInput,
    async answer({ teammate, force = false }) {
      const request = await leadership.requestShutdown(teammate, { force });
      if (!request) return `'${parseMemberName(teammate)}' was shut down`;
      return `Shutdown request ${request.id} sent to '${request.to}' (status: ${request.state})`;
    },
  });
}

const ShutdownResponseInput = z.object({ request_id: FilledText });

/** The state of a shutdown. Only the teammate can answer it. */
export function shutdownStateTool({ leadership }: { leadership: LeadAccess }): Tool {
  return coordinationTool({
    name: "shutdown_response",
    description: "State of a shutdown request.",
    input: ShutdownResponseInput,
    async answer({ request_id: id }) {
      const request = await leadership.findShutdown(id);
      return JSON.stringify(request ? withoutSignatures(request) : { error: "not found" });
    },
  });
}

/** The request without its signature, which is useless to a model. */
function withoutSignatures({ sig: _, decision, ...request }: Request): object {
  if (!decision) return { ...request, decision };
  const { sig: __, ...answer } = decision;
  return { ...request, decision: answer };
}

const OwnShutdownResponseInput = z.object({
  request_id: FilledText,
  approve: z.boolean(),
  reason: z.string().optional(),
});

export function shutdownAnswerTool({ following }: { following: TeammateAccess }): Tool {
  return coordinationTool({
    name: "shutdown_response",
    description: "Approving a shutdown_request ends you; refuse with a reason.",
    input: OwnShutdownResponseInput,
    async answer({ request_id: id, approve, reason }) {
      await following.answerShutdown(id, { approve, reason });
      return approve ? "Shutdown approved" : "Shutdown rejected";
    },
  });
}
