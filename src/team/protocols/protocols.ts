import type { Clock } from "../../lib/clock.ts";
import type { Secrets } from "../../lib/secrets.ts";
import type { Rule } from "../../permissions/rule.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { EventHub } from "../event-hub.ts";
import { isFree } from "../members/member-handle.ts";
import type { Members } from "../members/members.ts";
import { Removals, type RemovalsOptions } from "../members/removals.ts";
import { RosterKeeper } from "../members/roster-keeper.ts";
import { Post } from "../post.ts";
import { SentEvents } from "../sent-events.ts";
import type { TeamStore } from "../team-store.ts";
import { PermissionOrders } from "./permission-orders.ts";
import { Plans } from "./plans.ts";
import { ResultQuestions } from "./result-questions.ts";
import { Shutdowns } from "./shutdowns.ts";
import { TaskDispatch } from "./task-dispatch.ts";
import { TeamTasks, type TeamTasksOptions } from "./team-tasks.ts";

export interface ProtocolsOptions {
  store: TeamStore;
  clock: Clock;
  secrets: Secrets;
  members: Members;
  rules: readonly Rule[];
  planApprover: MemberName;
  graceMs: number;
  autoclaim: boolean;
  checkouts: RemovalsOptions["checkouts"];
  reviewTask: TeamTasksOptions["review"];
  /** True while nobody may begin to work. */
  isPaused(): boolean;
  onWarning(message: string): void;
  /** Ends a member for good. */
  end(name: MemberName, reason: string): Promise<void>;
}

/** How the members of a team deal with each other: each protocol with what it needs of the others. */
export type Protocols = ReturnType<typeof openProtocols>;

export function openProtocols(options: ProtocolsOptions) {
  const { store, clock, secrets, members, onWarning } = options;
  const { requests, tasks: board } = store;
  const hub = new EventHub(store.events, clock);
  const sent = new SentEvents({ hub, log: store.events, secrets, openedAt: clock.now() });
  const post = new Post({ store, secrets, clock });
  const keeper = new RosterKeeper(store.roster, store.signature);
  const plans = new Plans({ requests, keeper, post, approver: options.planApprover });
  const { graceMs, end } = options;
  const shutdowns = new Shutdowns({ requests, keeper, post, clock, graceMs, end, onWarning });
  const tasks = new TeamTasks({
    board,
    post,
    roster: () => keeper.read(),
    isWaiting: (name) => plans.isPending(name),
    approvedPlanOf: (name) => plans.approvedPlanOf(name),
    onTaken: (name) => plans.onTaskTaken(name),
    review: options.reviewTask,
  });
  return {
    hub,
    sent,
    post,
    keeper,
    plans,
    shutdowns,
    tasks,
    results: new ResultQuestions({ requests, post }),
    removals: new Removals({
      ...{ store, keeper, post, hub, sent, tasks, plans, shutdowns, requests, onWarning },
      checkouts: options.checkouts,
    }),
    dispatch: new TaskDispatch({
      board,
      tasks,
      idle: () => (options.autoclaim && !options.isPaused() ? claimants(members, plans) : []),
      onSleep: () => members.changed(),
      onWarning,
    }),
    permissions: new PermissionOrders({
      ...{ requests, keeper, post, hub, clock, rules: options.rules },
      members: () => members.living,
    }),
  };
}

/** The teammates that may be given a task, longest idle first. */
function claimants(members: Members, plans: Plans): MemberName[] {
  return members.byRest
    .filter((member) => isFree(member) && !plans.isPending(member.name))
    .map(({ name }) => name);
}
