import { user } from "../../protocol/ids.ts";
import type { Supervisor } from "../supervisor.ts";
import { isCarriedOut, type Orders } from "./control-mail.ts";
import { notTheirs } from "./permission-orders.ts";

/** How a team carries out what comes by signed mail. */
export function ordersOf(supervisor: Supervisor): Orders {
  const { permissions, plans } = supervisor.protocols;
  const { requests } = supervisor.options.store;
  return {
    answerPermission: (member, order) => permissions.answer(member, order),
    async answerPlan(member, order) {
      const request = await requests.get(order.request_id);
      if (request.from !== member) throw notTheirs(request, member);
      if (!isCarriedOut(request, order)) await plans.record(user, request.id, order);
    },
    stop: (name, { timestamp }) => supervisor.stop(name, new Date(timestamp * 1000)),
    setMode: (name, { mode }) => supervisor.setMode(name, mode),
    addRule: async (_, order) => permissions.addRule(order),
  };
}
