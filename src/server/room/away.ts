import type { AwayView, MessageView } from "../../protocol/dashboard.ts";
import { memberNames } from "../../team/find-member.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import type { CostHistory } from "./cost-history.ts";
import { MailMerge } from "./mail-merge.ts";
import { messageView } from "./message-view.ts";
import { requestView } from "./request-view.ts";
import { taskView } from "./task-view.ts";

const maxCounted = 2_000;
const maxResults = 50;
const maxRequests = 100;

export async function awayView(
  view: TeamView,
  costs: CostHistory,
  since: string,
): Promise<AwayView> {
  const [mail, tasks, requests] = [
    await mailSince(view, since),
    (await view.tasks()).filter(({ updated_at }) => isSince(updated_at, since)),
    await requestsSince(view, since),
  ];
  return {
    since,
    ...mail,
    tasks: tasks.map(taskView),
    requests: requests.map(requestView),
    cost_usd: costs.costSince(Date.parse(since)),
  };
}

async function mailSince(view: TeamView, since: string) {
  const owners = memberNames(await view.team());
  const merge = new MailMerge({ view, owners, wanted: maxCounted });
  const results: MessageView[] = [];
  let messages = 0;
  for (let next = await merge.next(); next; next = await merge.next()) {
    const { owner, record } = next;
    const message = messageView(record, { owner, seenAt: null });
    if (message.sent_at !== null && !isSince(message.sent_at, since)) break;
    messages += 1;
    if (message.type === "result") results.push(message);
    if (messages >= maxCounted) break;
  }
  const newest = results.slice(0, maxResults).reverse();
  return { messages, has_more: messages >= maxCounted, results: newest };
}

/** From the newest back: ids begin with the time of the request, and open ones may be older. */
async function requestsSince(view: TeamView, since: string) {
  const ids = (await view.requestIds()).slice(-maxRequests);
  const found = await Promise.all(ids.map((id) => view.request(id)));
  return found
    .flatMap((request) => request ?? [])
    .filter(({ created_at, decision }) => {
      return isSince(created_at, since) || (decision !== null && isSince(decision.at, since));
    });
}

function isSince(time: string, since: string): boolean {
  return Date.parse(time) >= Date.parse(since);
}
