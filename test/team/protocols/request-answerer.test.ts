import { expect, test } from "vitest";
import { Secrets } from "../../../src/lib/secrets.ts";
import { lead, MemberName, user } from "../../../src/protocol/ids.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { Post } from "../../../src/team/post.ts";
import {
  RequestAnswerer,
  type RequestAnswererOptions,
} from "../../../src/team/protocols/request-answerer.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { enlist, member } from "../../support/team.ts";

const alice = MemberName.parse("alice");
const rule = "bash(npm test:*)";
const isTheLeads = ({ from }: TeamRequest) => from === lead;

test("a request is answered by mail to its member, also one that was open at the start", async () => {
  await using earlier = await open({});
  const before = await earlier.ask();
  const decided = await earlier.ask();
  await earlier.store.requests.cancel(decided.id, alice);
  const { store } = earlier;
  await using it = await open({ onRequest: () => ({ decision: "allow-once" }) }, store);

  await it.answerer.start();
  expect(await it.answers(1)).toMatchObject([{ request_id: before.id, decision: "allow-once" }]);
  const after = await it.ask();
  expect((await it.answers(2))[1]).toMatchObject({ request_id: after.id, hash: after.hash });
});

test("a request is given to the program once, and only if it is for the person", async () => {
  const given: string[] = [];
  await using it = await open({
    onRequest: ({ id }) => {
      given.push(id);
      return undefined;
    },
  });
  const { id } = await it.ask();
  await it.store.requests.open({ type: "plan", from: alice, to: lead, subject: { plan: "…" } });

  await it.answerer.start();

  expect(given).toEqual([id]);
});

test("what the program leaves open is denied with the reason, or waits", async () => {
  await using denying = await open({ unattended: (allowing) => `use ${allowing}` });
  await denying.ask();
  await denying.ask({ tool: "other" });
  expect(await denying.answers(2)).toMatchObject([
    { decision: "deny", reason: `use ${rule}` },
    { decision: "deny", reason: "use undefined" },
  ]);

  await using waiting = await open({ onRequest: async (it) => (isTheLeads(it) ? no : undefined) });
  await waiting.ask();
  await waiting.ask(undefined, lead);
  await waiting.answers(1, lead);
  expect(await waiting.answers(0)).toEqual([]);
});

test.each([
  ["throws", () => Promise.reject(new Error("kaput")), /kaput/, /the program .* failed/],
  [
    "answers nonsense",
    () => ({ decision: "yes" }) as never,
    /decision/,
    /decision must be allow-once, allow-always or deny/,
  ],
])("a program that %s denies, and the person is warned", async (_, onRequest, problem, reason) => {
  await using it = await open({ onRequest });
  await it.ask();

  expect(await it.answers(1)).toMatchObject([
    { decision: "deny", reason: expect.stringMatching(reason) },
  ]);
  expect(it.warnings).toEqual([expect.stringMatching(problem)]);
});

test("a decision from elsewhere, and the end of the team, abort the signal, and a late answer has no effect", async () => {
  const late: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  await using it = await open({
    onRequest: (_, { signal }) => {
      signals.push(signal);
      return new Promise((resolve) => late.push(() => resolve(no)));
    },
  });
  const { id, hash } = await it.ask();
  await it.ask();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);

  await it.store.requests.decide(id, { by: user, state: "approved", hash });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await it.answerer[Symbol.asyncDispose]();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);

  for (const answer of late) answer();
  await it.ask();
  expect(late).toHaveLength(2);
  expect(await it.answers(0)).toEqual([]);
  expect(it.warnings).toEqual([]);
});

const no = { decision: "deny" } as const;

/** A team in which alice and the lead ask, and nobody carries out the answers. */
async function open(options: Partial<RequestAnswererOptions>, earlier?: MemoryTeamStore) {
  const clock = new ManualClock();
  const store = earlier ?? new MemoryTeamStore({ clock });
  if (!earlier) await enlist(store, member("alice"));
  const post = new Post({ store, secrets: new Secrets([]), clock });
  const warnings: string[] = [];
  const answerer = new RequestAnswerer({
    ...{ requests: store.requests, post, onRequest: () => undefined },
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  let count = 0;
  return {
    ...{ store, warnings, answerer },
    ask: (call: { tool: string; rule?: string } = { tool: "bash", rule }, from = alice) =>
      store.requests.open({
        ...{ type: "permission", from, to: user, subject: { ...call, input: count++ } },
      }),
    /** The answers in a member's mailbox, as soon as there are so many. */
    async answers(least: number, of: MemberName = alice) {
      const { reader } = await store.openMember(of, { onSetAside: () => undefined });
      while (true) {
        const unread = (await reader.unread()).map(({ message }) => message);
        if (unread.length >= least) return unread;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    [Symbol.asyncDispose]: () => answerer[Symbol.asyncDispose](),
  };
}
