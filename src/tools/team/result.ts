import { z } from "zod";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText } from "./inputs.ts";
import type { LeadAccess } from "./team-access.ts";

export const submitResult = coordinationTool({
  name: "submit_result",
  description: "Hand in the result that a prompt asks for.",
  input: z.object({
    request_id: FilledText.optional().describe("Needed where several results are asked for"),
    result: z.unknown(),
  }),
  async answer({ request_id: id, result }, { leadership }: { leadership: LeadAccess }) {
    await leadership.submitResult(id, result);
    return "Result accepted";
  },
});
