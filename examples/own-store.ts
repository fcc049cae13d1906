/**
 * A custom store: it wraps the store in memory and keeps a list of everything that was sent. A
 * store for another database implements the same interfaces. What shows a team works with it, too:
 * its dashboard and its export. Exits with 1 if anything else happens.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  exportTeam,
  findDashboard,
  type MailboxReaderOptions,
  type MemberName,
  type MemberStore,
  MemoryTeamStore,
  type Message,
  type MessageDraft,
  type MessageId,
  serveDashboard,
  systemPlace,
  Team,
  type TeamStore,
  type TeamView,
} from "troupe";
import { calls, ScriptedModel, says, temporaryDirectory } from "troupe/testing";

class RecordingStore implements TeamStore {
  readonly sent: Message[] = [];
  readonly #inner = new MemoryTeamStore();

  readonly roster = this.#inner.roster;
  readonly tasks = this.#inner.tasks;
  readonly requests = this.#inner.requests;
  readonly landings = this.#inner.landings;
  readonly checkouts = this.#inner.checkouts;
  readonly events = this.#inner.events;
  readonly usage = this.#inner.usage;
  readonly jobs = this.#inner.jobs;
  readonly crons = this.#inner.crons;
  readonly history = this.#inner.history;
  readonly signature = this.#inner.signature;
  readonly lost = this.#inner.lost;

  view(): TeamView {
    return this.#inner.view();
  }

  async send(to: string, draft: MessageDraft): Promise<Message> {
    const message = await this.#inner.send(to, draft);
    this.sent.push(message);
    return message;
  }

  newestUnread(name: MemberName): Promise<MessageId | undefined> {
    return this.#inner.newestUnread(name);
  }

  openMember(
    name: MemberName,
    options: Pick<MailboxReaderOptions, "onSetAside">,
  ): Promise<MemberStore> {
    return this.#inner.openMember(name, options);
  }

  forget(name: MemberName): Promise<void> {
    return this.#inner.forget(name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}

const models: Record<string, ScriptedModel> = {
  lead: new ScriptedModel([
    calls("spawn_teammate", { name: "ada", role: "coder", prompt: "Say hello." }),
    calls("wait_for_teammates", {}),
    says("Ada has said hello."),
  ]),
  ada: new ScriptedModel([says("Hello.")]),
};

const store = new RecordingStore();
await using workspace = await temporaryDirectory();
await using team = await Team.open({
  cwd: workspace.path,
  model: "scripted",
  openModel: (_, member) => models[member] ?? new ScriptedModel([]),
  store,
  place: systemPlace({ directory: join(workspace.path, ".team") }),
});

await team.prompt("Have somebody say hello.");
const { result } = await team.quiet();

console.log(result);
assert.equal(result, "Ada has said hello.");
assert.deepEqual(
  store.sent.map(({ from, to, type }) => `${from} to ${to}: ${type}`),
  ["user to lead: message", "lead to ada: message", "ada to lead: result"],
);

await using dashboard = await serveDashboard(team.view());
assert.equal((await fetch(dashboard.address)).status, 200);
assert.equal((await findDashboard(store.view()))?.port, dashboard.port);

await using page = await exportTeam(store.view());
const pieces: string[] = [];
for await (const piece of page.pieces()) pieces.push(piece);
for (const { content } of store.sent) assert(pieces.join("\n").includes(content));
