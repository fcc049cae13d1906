import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MailRecord } from "../../src/mailbox/mailbox.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import { isShown } from "../../src/protocol/message-types.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import { mailNewestFirst } from "../../src/team/view/read-pages.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { memberOf } from "../../test/support/team-on-wire.ts";
import { members } from "./parts.ts";
import type { RichTeam } from "./rich-team.ts";

/** A message as it was in its mailbox before the damage. */
export interface Letter {
  message: Message;
  /** Its line, without the newline. */
  bytes: Buffer;
  wasRead: boolean;
  /** Whether its reader's model is shown it without damage: not if a summary replaces it. */
  isDue: boolean;
}

/** All mail of the team, and whether it was read. */
export async function lettersOf(team: RichTeam): Promise<Letter[]> {
  const view = new FileTeamView(team.place({}));
  const log = await mailBytes(team.root);
  const letters: Letter[] = [];
  for (const name of members) {
    for await (const record of mailNewestFirst(view, MemberName.parse(name))) {
      // Messages for the runtime only are checked through the records of requests.
      if (record.state === "set aside" || !isShown(record.message)) continue;
      const { message } = record;
      const bytes = lineWith(log, message.id);
      letters.push({ message, bytes, wasRead: record.state === "delivered", isDue: false });
    }
  }
  return letters;
}

/** Marks those that the models were shown last. */
export function withDue(
  letters: readonly Letter[],
  requests: readonly ProviderRequest[],
): Letter[] {
  return letters.map((letter) => ({ ...letter, isDue: shownTo(letter.message, requests) > 0 }));
}

/** The content of the mailboxes, including segments, in order. */
export async function mailBytes(root: string): Promise<Buffer> {
  const inbox = join(root, ".team", "inbox");
  const entries = await readdir(inbox, { recursive: true, withFileTypes: true });
  const logs = entries.filter(
    (entry) => entry.isFile() && /^(\d+|[a-z]+)\.jsonl$/.test(entry.name),
  );
  const found = await Promise.all(logs.map((it) => readFile(join(it.parentPath, it.name))));
  return Buffer.concat(found);
}

function lineWith(log: Buffer, id: string): Buffer {
  const start = log.indexOf(`{"id":"${id}"`);
  return log.subarray(start, log.indexOf("\n", start));
}

interface MailTally {
  /** Undamaged messages. */
  whole: number;
  /** How many of those the model misses, while it is informed that its record has a gap. */
  named: number;
  faults: string[];
}

interface Aftermath {
  letters: readonly Letter[];
  /** The mailboxes as they were when the team was started. */
  damagedMail: Buffer;
  requests: readonly ProviderRequest[];
  /** The current position of each message. */
  states: ReadonlyMap<string, MailRecord["state"]>;
}

/** The result for the mail, from the last requests of the models and the mailboxes. */
export function tallyMail({ letters, damagedMail, requests, states }: Aftermath): MailTally {
  const tally: MailTally = { whole: 0, named: 0, faults: [] };
  for (const { message, bytes, wasRead, isDue } of letters) {
    if (!damagedMail.includes(bytes)) continue;
    tally.whole++;
    const shown = shownTo(message, requests);
    const what = `${message.type} ${message.content.slice(0, 40)} to ${message.to}`;
    if (shown > 1) tally.faults.push(`twice: ${what}`);
    const state = states.get(message.id);
    const isStillThere = state !== undefined && (wasRead || state !== "delivered");
    if (shown === 0 && !isStillThere) tally.faults.push(`lost: ${what} (${state ?? "nowhere"})`);
    // A member without new mail makes no request.
    if (shown > 0 || !isDue || !lastTo(message, requests)) continue;
    if (isGapNamed(message, requests)) tally.named++;
    // In another member's mailbox it is set aside, which is reported.
    else if (state !== "set aside") tally.faults.push(`unshown: ${what} (${state})`);
  }
  return tally;
}

function shownTo(message: Message, requests: readonly ProviderRequest[]): number {
  const last = lastTo(message, requests);
  return last ? timesShown(message, last) : 0;
}

function lastTo({ to }: Message, requests: readonly ProviderRequest[]) {
  return requests.findLast((request) => memberOf(request) === to);
}

function isGapNamed(message: Message, requests: readonly ProviderRequest[]): boolean {
  return lastTo(message, requests)?.text.includes("your record was damaged") === true;
}

/** How often a request shows a message. Prompts of the person to the lead have no wrapper. */
function timesShown({ id, from, to, content }: Message, { text }: ProviderRequest): number {
  const mark =
    from === "user" && to === "lead" ? JSON.stringify(content).slice(1, -1) : `id=\\"${id}\\"`;
  return text.split(mark).length - 1;
}

/** The current position of each message; missing if it cannot be read. */
export async function statesOf(team: RichTeam): Promise<Map<string, MailRecord["state"]>> {
  const states = new Map<string, MailRecord["state"]>();
  const view = new FileTeamView(team.place({ onWarning: () => undefined }));
  for (const name of members) {
    for await (const record of mailNewestFirst(view, MemberName.parse(name))) {
      if (record.state === "set aside") {
        const id = /"id":"([0-9a-f-]{36})"/.exec(record.text)?.[1];
        if (id) states.set(id, "set aside");
      } else states.set(record.message.id, record.state);
    }
  }
  return states;
}
