import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CronEntry } from "../../src/protocol/cron.ts";
import { CommitId, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { Team } from "../../src/team/team.ts";
import type { MemberStore, TeamStore } from "../../src/team/team-store.ts";
import { call } from "../../src/testing/conformance/usage-ledger.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { providerEnvironment } from "./agent-on-wire.ts";
import { pixel } from "./pixel.ts";
import { enlist, member, openStore, teamPlace } from "./team.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const cron = CronEntry.parse({
  ...{ id: "0123abcd", cron: "@yearly", prompt: "Say hello.", member: "lead", once: false },
  ...{ created_by: "lead", created_at: "2026-01-01T00:00:00.000Z", next_at: null },
});
const ignored = { onSetAside: () => undefined };
const at = "2026-01-01T00:00:00.000Z";
const mebibyte = 1024 * 1024;
const job = {
  id: "0a1b2c3d",
  member: alice,
  command: "sleep 1000",
  started_at: at,
  message_id: newMessageId(new Date(at)),
};

/**
 * Lets a team below `root`, which sets another aside, live until it has made every kind of file, by
 * the limits of real ones.
 */
export async function liveLongLife(root: string): Promise<void> {
  const team = join(root, ".team");
  const onWarning = () => undefined;
  await (await openStore(root))[Symbol.asyncDispose]();
  {
    await using store = await FileTeamStore.open(teamPlace(root, { onWarning }), { fresh: true });
    await enlist(store, member("alice"), member("bob"));
    const ofAlice = await store.openMember(alice, ignored);
    await outgrowMailbox(ofAlice);
    await outgrowQuarantine(ofAlice, join(team, "inbox", "alice.jsonl"));
    await outgrowReturned(await store.openMember(bob, ignored));
    await outgrowLogs(store);
    await ofAlice.transcript.append([{ type: "run-start", at }]);
    await damageRecords(store, team);
    await store.jobs.add(job);
    await store.crons.put(cron);
  }
  await appendFile(join(team, "transcripts", "alice.jsonl"), 'damaged\n{"type":"run-e');
  await appendFile(join(team, "usage.jsonl"), '{"type":"ca');
  await writeFile(join(team, "fence", "lead.json"), "oops");

  {
    await using store = await openStore(root, { onWarning });
    await store.openMember(alice, ignored);
  }
  await outgrowConversation(root);
}

/** A lead that is told more, and whose command prints more, than a model can be shown. */
async function outgrowConversation(root: string): Promise<void> {
  await using server = await ProviderServer.start();
  // The others go on as well, with the mail that they have not read.
  server.replyWith(({ body }) => {
    const isFirst = body.messages.length === 1 && JSON.stringify(body.system).includes("team lead");
    return isFirst ? calls("bash", { command: "seq 20000" }) : says("Long.");
  });
  await using team = await Team.open({
    // Its members were enlisted by hand, which is told.
    place: teamPlace(root, { onWarning: () => undefined }),
    env: { PATH: process.env.PATH, ...providerEnvironment(server) },
    cwd: root,
    model: "anthropic/scripted",
    maxTurns: 5,
  });
  const images = [{ data: Buffer.from(pixel.data, "base64"), mediaType: "image/png" }];
  await team.prompt({ text: "x".repeat(40_000), images });
  await team.quiet();
}

async function outgrowMailbox({ mailbox, reader }: MemberStore): Promise<void> {
  const content = "x".repeat(mebibyte / 4);
  for (let count = 0; count < 4; count++) {
    await mailbox.append({ type: "message", from: user, content });
  }
  const last = (await reader.unread()).at(-1);
  if (last) await reader.acknowledge(last.message.id);
}

async function outgrowQuarantine({ reader }: MemberStore, inbox: string): Promise<void> {
  const forged = `${JSON.stringify({ type: "shutdown_request", content: "x".repeat(4096) })}\n`;
  await appendFile(inbox, forged.repeat(mebibyte / 4096 + 1));
  await reader.unread();
}

async function outgrowReturned({ mailbox, reader }: MemberStore): Promise<void> {
  // A record of it has more than 128 bytes; the last one finds the file too large.
  for (let count = 0; count <= mebibyte / 128; count++) {
    await mailbox.append({ type: "message", from: user, content: "too late" });
  }
  for (let unread = await reader.unread(); unread.length > 0; unread = await reader.unread()) {
    const last = unread.at(-1);
    if (last) await reader.giveBack(last.message.id);
  }
}

async function outgrowLogs(store: TeamStore): Promise<void> {
  const long = "x".repeat(mebibyte);
  for (let count = 0; count <= 8; count++) {
    store.events.append({ type: "text-delta", at, text: long });
    await store.events.flush();
  }
  for (let count = 0; count <= 4; count++) await store.usage.record(call("alice", { model: long }));
}

/** What a person may do to a file while the team runs. */
async function damageRecords(store: TeamStore, team: string): Promise<void> {
  await writeFile(join(team, "config.json"), "oops");
  await enlist(store, member("carol"));
  const task = await store.tasks.create({ subject: "a task", created_by: user });
  await writeFile(join(team, "tasks", `${task.id}.json`), "oops");
  await store.tasks.update(task.id, { subject: "another" }, { by: user });
  const { id } = await store.requests.open({
    type: "plan",
    from: alice,
    to: user,
    subject: { plan: "1." },
  });
  await writeFile(join(team, "requests", `${id}.json`), "oops");
  await store.requests.cancel(id, alice);
  const commit = CommitId.parse("a".repeat(40));
  const work = { ref: "refs/troupe/x/alice/1", commit, base: commit, target: "troupe/default" };
  const landing = await store.landings.take({ member: alice, ...work });
  await writeFile(join(team, "landings", `${landing.id}.json`), "oops");
  await store.landings.move(landing, { state: "discarded" });
  const checkout = await store.checkouts.put({
    ...{ id: alice, state: "making", path: "/checkouts/alice", repository: "/repo/.git" },
    ...{ base: commit, target: work.target, branch: "troupe/alice", incarnation: "1", earlier: [] },
  });
  await writeFile(join(team, "checkouts", "alice.json"), "oops");
  await store.checkouts.put({ ...checkout, state: "ready" });
}
