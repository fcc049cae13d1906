import { user } from "../../protocol/ids.ts";
import type { Supervisor } from "../supervisor.ts";
import { isCarriedOut, type Orders } from "./control-mail.ts";

/** How a team carries out what comes by signed mail. */
export function ordersOf(supervisor: Supervisor): Orders {
  const { permissions, plans } = supervisor.protocols;
  const { requests } = supervisor.options.store;
  return {
    answerPermission: (member, order) => permissions.answer(member, order),
    async answerPlan(_, order) {
      const request = await requests.get(order.request_id);
      if (!isCarriedOut(request, order)) await plans.record(user, request.id, order);
    },
    stop: (name) => supervisor.stop(name),
    setMode: (name, { mode }) => supervisor.setMode(name, mode),
    addRule: async (_, order) => permissions.addRule(order),
  };
}
