import { summarizeCall } from "../../lib/summarize-call.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ListedMail } from "../../team/view/team-view.ts";
import { localTime } from "./local-time.ts";
import { oneLine } from "./one-line.ts";

/** One message or set-aside line as `--json` shows it. */
export function mailJson(record: ListedMail, owner: MemberName): object {
  if (record.state !== "set aside") return { ...record.message, state: record.state };
  const { id, state, reason, text } = record;
  return { id, to: owner, state, reason, text };
}

/** One message or set-aside line for a person. */
export function mailLine(record: ListedMail, owner: MemberName): string {
  if (record.state === "set aside") {
    return `set aside    ${owner}: a line that ${oneLine(record.reason, 80)}: ${oneLine(record.text, 60)}`;
  }
  const { id, timestamp, from, to } = record.message;
  const content = contentOf(record.message) || factsOf(record.message);
  const kind = kindOf(record.message);
  const isWhole = content.length <= shownLength && !hasMore(record.message);
  const opener = isWhole ? "" : `  (troupe show ${id})`;
  return `${record.state.padEnd(11)}  ${localTime(new Date(timestamp * 1000))}  ${from} → ${to}${kind}: ${oneLine(content, shownLength)}${opener}`;
}

/** So much of a message is shown on its line. */
const shownLength = 100;

/** Fields that are shown beside the content of a message. */
export const tellingFields: readonly string[] = [
  ...["outcome", "approve", "plan", "feedback", "reason", "decision", "rule", "mode"],
];

/** A message in which a member asks the person has no text of its own. */
export function contentOf(message: Message): string {
  if (message.type !== "permission_request") return message.content;
  return `${message.tool} ${summarizeCall(message.tool, message.input)}`;
}

/** What a message without a text says, such as a changed rule. */
function factsOf(message: Message): string {
  const values = new Map(Object.entries(message));
  const facts = tellingFields.flatMap((name) => values.get(name) ?? []).map(String);
  return [...(values.get("removed") === true ? ["remove"] : []), ...facts].join(" ");
}

/** Whether there is more than the content. That a run is done is what everybody expects of a result. */
function hasMore(message: Message): boolean {
  return Object.entries(message).some(
    ([name, value]) => tellingFields.includes(name) && value !== "done",
  );
}

function kindOf(message: Message): string {
  if (message.type !== "message") return ` [${message.type}]`;
  const count = message.images?.length ?? 0;
  return count === 0 ? "" : ` [${count} ${count === 1 ? "image" : "images"}]`;
}
