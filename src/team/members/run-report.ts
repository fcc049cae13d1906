import { join } from "node:path";
import type { LastRun } from "../../agent/runner.ts";
import { firstCharacters } from "../../lib/cut-text.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { isContentSize, type MessageDraft } from "../../protocol/message.ts";

export interface ReportOptions {
  self: MemberName;
  run: LastRun;
  isTeammate(name: MemberName): boolean;
  /** Where a text lies that is too long for a message. */
  outputs: string;
  keepWhole(path: string, text: string): Promise<void>;
}

/** What of a text that is too long goes into the message itself: with its path, it is shown whole. */
const shownCharacters = 27_000;

/** The message that tells the lead how a teammate's run has ended; always the same for one run. */
export async function reportOf(options: ReportOptions): Promise<MessageDraft | undefined> {
  const { self: from, run, isTeammate } = options;
  const end = run.unsettledEnd;
  if (!end) return undefined;
  const { outcome, reason } = end;
  const id = end.reportId;
  const texts =
    outcome === "done"
      ? run.answers
      : [...run.answers, `(${outcome}${reason ? `: ${reason}` : ""})`];
  if (texts.length === 0) {
    return { ...(id && { id }), type: "idle_notification", from, content: `${from} is idle.` };
  }
  const wakers = [...run.wakers];
  const isTalk = wakers.length > 0 && wakers.every(isTeammate);
  return {
    ...(id && { id }),
    type: "result",
    from,
    outcome,
    content: await fitting(texts.join("\n\n"), options),
    ...(isTalk && { woken_by_peers: true }),
  };
}

async function fitting(text: string, { run, outputs, keepWhole }: ReportOptions): Promise<string> {
  if (isContentSize(text)) return text;
  const path = join(outputs, `result-${run.unsettledEnd?.reportId}.txt`);
  await keepWhole(path, text);
  const shown = firstCharacters(text, shownCharacters);
  return `${shown}\n... (${text.length - shown.length} more characters; the whole is in ${path})`;
}
