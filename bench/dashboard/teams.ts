import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import type { MemberRecord } from "../../src/protocol/team.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { placeBelow } from "../team/place.ts";

const batch = 500;
const usage = {
  ...{ input_tokens: 900, output_tokens: 80, cache_read_tokens: 40_000, cache_write_tokens: 100 },
};

/**
 * A team of one teammate who has been sent `messages` and has seen all of them, with as many entries
 * in the transcript: for every four messages a reply, and the rest deliveries.
 */
export async function writeLongLife(directory: string, messages: number): Promise<void> {
  await using store = await FileTeamStore.open(placeBelow(directory));
  const alice = MemberName.parse("alice");
  await enlist(store, [alice]);
  const { transcript, reader } = await store.openMember(alice, { onSetAside: () => undefined });
  for (let sent = 0; sent < messages; sent += batch) {
    for (let index = 0; index < batch; index++) {
      const content = `Message ${sent + index}: see that the tests of part ${index} pass.`;
      await store.send(alice, { type: "message", from: index % 2 ? user : lead, content });
    }
    for (let unread = await reader.unread(); unread.length > 0; unread = await reader.unread()) {
      const at = new Date().toISOString();
      const deliveries = unread.map(
        (delivery): TranscriptEntry => ({ type: "delivery", at, ...delivery }),
      );
      await transcript.append(deliveries);
      const last = unread.at(-1);
      if (last) await reader.acknowledge(last.message.id);
    }
    const at = new Date().toISOString();
    const blocks = [{ type: "text" as const, text: "I have looked at it, and the tests pass." }];
    await transcript.append([{ type: "reply", at, blocks, stop: "end", usage }]);
  }
}

/** A team of `count` working teammates with some mail each. Resolves to their names. */
export async function writeCrowd(directory: string, count: number): Promise<string[]> {
  await using store = await FileTeamStore.open(placeBelow(directory));
  const names = Array.from({ length: count }, (_, index) => MemberName.parse(`m${index}`));
  await enlist(store, names);
  for (const name of names) {
    const { transcript } = await store.openMember(name, { onSetAside: () => undefined });
    const at = new Date().toISOString();
    const blocks = [{ type: "text" as const, text: "I begin." }];
    await transcript.append([{ type: "reply", at, blocks, stop: "end", usage }]);
    for (let index = 0; index < 10; index++) {
      await store.send(name, { type: "message", from: lead, content: `Part ${index}, please.` });
    }
  }
  return names;
}

async function enlist(store: FileTeamStore, names: readonly MemberName[]): Promise<void> {
  const members = names.map((name): MemberRecord => ({ name, role: "coder", status: "working" }));
  await store.roster.update((team) => ({ ...team, members }));
}
