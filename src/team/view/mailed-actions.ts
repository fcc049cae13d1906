import type { Clock } from "../../lib/clock.ts";
import { lead, newRequestId, user } from "../../protocol/ids.ts";
import type { Message, MessageDraft } from "../../protocol/message.ts";
import type { Requests } from "../../requests/requests.ts";
import { aliveMembers } from "../find-member.ts";
import type { TeamActions, TeamView } from "./team-view.ts";

export interface MailedActionsOptions {
  /** What actions depend on. */
  view: Pick<TeamView, "team" | "rules" | "modes" | "landings">;
  clock: Clock;
  /** The requests of a team that the person may act on. */
  requests(): Promise<Pick<Requests, "get" | "list">>;
  /** Leaves mail for a member. */
  leave(to: string, draft: MessageDraft): Promise<Message>;
}

type MailedActions = Omit<TeamActions, "bringLanded" | "cleanCheckouts" | "restore">;

/** What a person does from outside by mail: the same for every store. */
export function mailedActions({
  view,
  clock,
  requests,
  leave,
}: MailedActionsOptions): MailedActions {
  const leaveForLead = async (draft: MessageDraft) => leave((await view.team()).lead, draft);
  return {
    send: (to, content) => leave(to, { type: "message", from: user, content }),

    async broadcast(content) {
      const recipients = aliveMembers(await view.team());
      for (const to of recipients) await leave(to, { type: "broadcast", from: user, content });
      return recipients.length;
    },

    async answer(id, answer) {
      const { answerMessage, findQuestion } = await import("../protocols/persons-answer.ts");
      const request = await findQuestion(await requests(), id);
      await leave(request.from, answerMessage(request, answer));
    },

    async stop(name) {
      const request_id = newRequestId(clock.now());
      const order = { type: "shutdown_request", from: user, request_id } as const;
      await (name === undefined ? leaveForLead(order) : leave(name, order));
    },

    async addRule(draft) {
      const { additionMessage } = await import("../protocols/added-rules.ts");
      await leaveForLead(additionMessage(draft));
    },

    async removeRule(draft) {
      const { removalMessage } = await import("../protocols/added-rules.ts");
      await leaveForLead(removalMessage(draft, await view.rules()));
    },

    async setMode(name, mode) {
      const { modeMessage } = await import("../protocols/member-modes.ts");
      await leave(name, modeMessage(name, mode, await view.modes()));
    },

    async decideLanding(decision) {
      const { landingOrder } = await import("../landings/landing-order.ts");
      await leave(lead, landingOrder(decision, await view.landings()));
    },
  };
}
