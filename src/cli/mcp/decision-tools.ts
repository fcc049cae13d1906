import { z } from "zod";
import { FilledText } from "../../tools/team/inputs.ts";
import type { GivenArguments } from "./person-access.ts";
import { personTool } from "./person-tool.ts";

const forThePerson =
  "This is the person's decision: ask the person first, unless they told you how to decide such requests.";

/** Only offered where the person has said so when they started the server. */
export const approve = personTool({
  name: "approve",
  description: `Approve a member's request (a call, or a plan), once; with always, all such calls from now on, by the rule that approvals shows. ${forThePerson}`,
  input: z.object({
    id: FilledText.describe("of the request; its beginning is enough"),
    always: z.boolean().optional(),
    reason: z.string().optional().describe("a note for the member"),
  }),
  async answer({ id, always = false, reason }, access) {
    const { approve: command } = await import("../commands/approve.ts");
    return access.print(command, decisionOf(id, { always, reason }));
  },
});

/** As above. */
export const deny = personTool({
  name: "deny",
  description: `Deny a member's request; the member is told the reason. ${forThePerson}`,
  input: z.object({
    id: FilledText.describe("of the request; its beginning is enough"),
    reason: z.string().optional(),
  }),
  async answer({ id, reason }, access) {
    const { deny: command } = await import("../commands/deny.ts");
    return access.print(command, decisionOf(id, { reason }));
  },
});

function decisionOf(
  id: string,
  { always, reason }: { always?: boolean; reason: string | undefined },
): GivenArguments {
  return {
    positionals: [id],
    values: { ...(always !== undefined && { always }), ...(reason && { reason }) },
  };
}
