/**
 * Sends messages through the mailboxes of one team and takes all of them in, as members do:
 * `million-messages <directory> <mailboxes> <messages>`. It says as JSON what came of it.
 */
import { readFile } from "node:fs/promises";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import { FileTeamStore } from "../../../src/team/file-team-store.ts";
import type { MemberStore } from "../../../src/team/team-store.ts";
import { enlist, member, teamPlace } from "../../../test/support/team.ts";

const [directory = "", mailboxes, messages] = process.argv.slice(2);
const count = Number(mailboxes);
const each = Number(messages) / count;
/** The limit of unread messages in a mailbox: far more than in any team. */
const burst = 500;
const tally = { sent: 0, seen: 0, lost: 0, twice: 0, misordered: 0 };

await using store = await FileTeamStore.open(teamPlace(directory));
const names = Array.from({ length: count }, (_, index) => `member-${index}`);
await enlist(store, ...names.map((name) => member(name)));
const members: { box: MemberStore; next: number }[] = [];
for (const name of names) {
  const options = { onSetAside: () => void tally.lost++ };
  members.push({ box: await store.openMember(MemberName.parse(name), options), next: 0 });
}

const startMs = performance.now();
for (let first = 0; first < each; first += burst) {
  const last = Math.min(first + burst, each);
  for (let index = first; index < last; index++) {
    await Promise.all(members.map(({ box }) => send(box, index)));
  }
  for (const each of members) await takeIn(each);
}
for (const { next } of members) tally.lost += each - next;
const seconds = (performance.now() - startMs) / 1000;
const status = await readFile("/proc/self/status", "utf8");
const peakMb = Math.round((Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6);
console.log(JSON.stringify({ ...tally, perSecond: Math.round(tally.seen / seconds), peakMb }));

async function send({ mailbox }: MemberStore, index: number): Promise<void> {
  await mailbox.append({ type: "message", from: lead, content: `${index}` });
  tally.sent++;
}

/** In the order of a member's run: first into the transcript, then acknowledged. */
async function takeIn(member: { box: MemberStore; next: number }): Promise<void> {
  const { reader, transcript } = member.box;
  for (;;) {
    const unread = await reader.unread();
    const newest = unread.at(-1);
    if (!newest) return;
    const at = new Date().toISOString();
    await transcript.append(unread.map((mail) => ({ type: "delivery", at, ...mail })));
    await reader.acknowledge(newest.message.id);
    for (const { message } of unread) {
      const index = Number(message.content);
      if (index < member.next) tally.twice++;
      if (index > member.next) tally.misordered++;
      member.next = index + 1;
      tally.seen++;
    }
  }
}
