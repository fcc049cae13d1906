import type { MailRecord } from "../../mailbox/mailbox.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { oneLine } from "./one-line.ts";

/** One message or set-aside line as `--json` shows it. */
export function mailJson(record: MailRecord, owner: MemberName): object {
  if (record.state !== "set aside") return { ...record.message, state: record.state };
  const { id, state, reason, text } = record;
  return { id, to: owner, state, reason, text };
}

/** One message or set-aside line for a person. */
export function mailLine(record: MailRecord, owner: MemberName): string {
  if (record.state === "set aside") {
    return `set aside    ${owner}: a line that ${oneLine(record.reason, 80)}: ${oneLine(record.text, 60)}`;
  }
  const { timestamp, from, to, type, content } = record.message;
  const kind = type === "message" ? "" : ` [${type}]`;
  return `${record.state.padEnd(11)}  ${localTime(timestamp)}  ${from} → ${to}${kind}: ${oneLine(content, 100)}`;
}

/** Seconds since 1970 as local date and time. */
function localTime(timestamp: number): string {
  const date = new Date(timestamp * 1000);
  if (Number.isNaN(date.getTime())) return "at an unknown time";
  const pad = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}
