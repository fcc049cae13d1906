import type { AwayView, MessageView } from "../../protocol/dashboard.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import type { CostHistory } from "./cost-history.ts";
import { MailMerge } from "./mail-merge.ts";
import { withEnd } from "./message-pages.ts";
import { messageView } from "./message-view.ts";
import { requestView } from "./request-view.ts";
import { taskView } from "./task-view.ts";

const maxCounted = 2_000;
const maxResults = 50;
const maxRequests = 100;

/** What happened since `since`. */
export async function awayView(
  observer: TeamObserver,
  costs: CostHistory,
  since: string,
): Promise<AwayView> {
  const [mail, tasks, requests] = [
    await mailSince(observer, since),
    (await observer.tasks()).filter(({ updated_at }) => isSince(updated_at, since)),
    await requestsSince(observer, since),
  ];
  return {
    since,
    ...mail,
    tasks: tasks.map(taskView),
    requests: requests.map(requestView),
    cost_usd: costs.costSince(Date.parse(since)),
  };
}

async function mailSince(observer: TeamObserver, since: string) {
  const merge = new MailMerge({ observer, owners: observer.members(), wanted: maxCounted });
  const results: MessageView[] = [];
  let messages = 0;
  for (let next = await merge.next(); next; next = await merge.next()) {
    const { owner, line } = next;
    const views = line.records.map((record) =>
      messageView(withEnd(observer, { owner, record }), { owner, seenAt: null }),
    );
    if (views.some(({ sent_at }) => sent_at !== null && !isSince(sent_at, since))) break;
    messages += views.length;
    results.push(...views.filter(({ type }) => type === "result"));
    if (messages >= maxCounted) break;
  }
  const newest = results.slice(0, maxResults).reverse();
  return { messages, has_more: messages >= maxCounted, results: newest };
}

/** From the newest back: ids begin with the time of asking, and what is open may be older. */
async function requestsSince(observer: TeamObserver, since: string) {
  const ids = (await observer.requestIds()).slice(-maxRequests);
  const found = await Promise.all(ids.map((id) => observer.request(id)));
  return found
    .flatMap((request) => request ?? [])
    .filter(({ created_at, decision }) => {
      return isSince(created_at, since) || (decision !== null && isSince(decision.at, since));
    });
}

function isSince(time: string, since: string): boolean {
  return Date.parse(time) >= Date.parse(since);
}
