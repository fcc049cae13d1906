import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { canonicalJson } from "../../src/lib/canonical-json.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DirectoryWatch } from "../../src/lib/directory-watch.ts";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import { type RequestDecision, TeamRequest } from "../../src/protocol/request.ts";
import { hashSubject } from "../../src/requests/request-rules.ts";
import type { RequestAnswer } from "../../src/requests/requests.ts";
import { StoredRequests } from "../../src/requests/stored-requests.ts";
import { testRequests } from "../../src/testing/conformance/requests.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { noteFileCalls } from "../support/file-calls.ts";

const bob = MemberName.parse("bob");
const charlie = MemberName.parse("charlie");
const draft = { type: "plan", from: bob, to: lead, subject: { plan: "rewrite it" } } as const;
const yes: RequestAnswer = { by: lead, state: "approved", hash: hashSubject(draft.subject) };
const key = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);

testRequests("StoredRequests in files", () => open({ isWatched: true }));

describe("P13 a decision without troupe's valid signature", () => {
  const signedBy = (bytes: Uint8Array, decision: RequestDecision) => ({
    ...decision,
    sig: hmacSignature(bytes).sign(canonicalJson(decision)),
  });

  /** Each makes of a pending request one that claims to be approved. */
  const forgeries: Record<
    string,
    (request: TeamRequest, decision: RequestDecision) => Partial<Pick<TeamRequest, "decision">>
  > = {
    "is no decision at all": () => ({}),
    "has no signature": (_, decision) => ({ decision: { ...decision, sig: "" } }),
    "has another key's signature": (_, decision) => ({ decision: signedBy(otherKey, decision) }),
    "was changed after it was signed": (_, decision) => ({
      decision: { ...signedBy(key, { ...decision, state: "rejected" }), state: "approved" },
    }),
    "says another state than the request": (_, decision) => ({
      decision: signedBy(key, { ...decision, state: "rejected" }),
    }),
    "is about other bytes": (_, decision) => ({
      decision: signedBy(key, { ...decision, hash: hashSubject({ plan: "another" }) }),
    }),
    "had a rule added after it was signed": (_, decision) => ({
      decision: { ...signedBy(key, decision), rule: "bash(rm:*)" },
    }),
    "had its rule changed after it was signed": (_, decision) => ({
      decision: { ...signedBy(key, { ...decision, rule: "bash(ls)" }), rule: "bash(rm:*)" },
    }),
    "is by somebody else": (_, decision) => ({ decision: signedBy(key, { ...decision, by: bob }) }),
  };

  test.each(Object.entries(forgeries))(
    "%s: ignored, reported once, and harmless",
    async (_, forge) => {
      await using fixture = await open();
      const request = await fixture.requests.open(draft);
      const { id, hash } = request;
      const at = request.created_at;
      const decision: RequestDecision = { request_id: id, hash, state: "approved", by: lead, at };
      await fixture.rewrite({
        ...request,
        state: "approved",
        version: 2,
        ...forge(request, decision),
      });

      expect(await fixture.requests.get(id)).toMatchObject({ state: "pending", decision: null });
      expect(await fixture.requests.list({ state: "approved" })).toEqual([]);
      expect(fixture.forgeries).toEqual([expect.stringContaining(id)]);
      const rejected = await fixture.requests.decide(id, { ...yes, state: "rejected" });
      expect(rejected).toMatchObject({ state: "rejected", version: 3 });
      expect(await (await fixture.reopen()).get(id)).toEqual(rejected);
    },
  );

  test("control: the same record with a true signature counts", async () => {
    await using fixture = await open();
    const request = await fixture.requests.open(draft);
    const { id, hash, created_at: at } = request;
    const decision = signedBy(key, { request_id: id, hash, state: "approved", by: lead, at });

    await fixture.rewrite({ ...request, state: "approved", version: 2, decision });

    expect(await fixture.requests.get(id)).toMatchObject({ state: "approved", decision });
    expect(fixture.forgeries).toEqual([]);
  });

  test("belongs to another request: ignored", async () => {
    await using fixture = await open();
    const other = await fixture.requests.open(draft);
    const { decision } = await fixture.requests.decide(other.id, yes);
    const request = await fixture.requests.open(draft);

    await fixture.rewrite({ ...request, state: "approved", decision });

    expect(await fixture.requests.get(request.id)).toMatchObject({ state: "pending" });
    expect(fixture.forgeries).toEqual([`Request ${request.id} has a decision of another request`]);
  });
});

describe("P12 a question that was changed", () => {
  const other = { plan: "something harmless" };
  const alterations: Record<string, object> = {
    "has another subject": { subject: other },
    "has another subject and its hash": { subject: other, hash: hashSubject(other) },
    "has another asker": { from: charlie },
    "has another addressee": { to: user },
    "has another type": { type: "shutdown" },
  };

  test.each(Object.entries(alterations))(
    "%s: reported, and cannot be decided",
    async (_, alteration) => {
      await using fixture = await open();
      const request = await fixture.requests.open(draft);
      const altered = TeamRequest.parse({ ...request, ...alteration });
      await fixture.rewrite(altered);

      const { to: by, hash } = altered;
      const answer = fixture.requests.decide(request.id, { by, hash, state: "approved" });

      await expect(answer).rejects.toMatchObject({
        code: "request-refused",
        message: `The record of request ${request.id} was not written by troupe`,
      });
      expect(fixture.forgeries).toHaveLength(1);
      expect(await fixture.requests.get(request.id)).toMatchObject({ state: "pending" });
      expect(await fixture.requests.expire(request.id)).toMatchObject({ state: "expired" });
      expect(await fixture.requests.get(request.id)).toMatchObject({ state: "expired" });
    },
  );

  test.each(Object.entries(alterations))(
    "%s since its approval: not approved",
    async (_, alteration) => {
      await using fixture = await open();
      const { id } = await fixture.requests.open(draft);
      const approved = await fixture.requests.decide(id, yes);

      await fixture.rewrite(TeamRequest.parse({ ...approved, ...alteration }));

      expect(await fixture.requests.get(id)).toMatchObject({ state: "expired", decision: null });
      expect(fixture.forgeries).toHaveLength(1);
    },
  );

  test("control: a record with another spelling of the same JSON is unchanged", async () => {
    await using fixture = await open();
    const request = await fixture.requests.open(draft);
    const reversed = Object.fromEntries(Object.entries(request).reverse());
    await writeFile(join(fixture.path, `${request.id}.json`), JSON.stringify(reversed));

    expect(await fixture.requests.decide(request.id, yes)).toMatchObject({ state: "approved" });
    expect(fixture.forgeries).toEqual([]);
  });
});

test("a team that has lost its key has open questions to ask again and no old approvals", async () => {
  await using fixture = await open();
  const pending = await fixture.requests.open(draft);
  const { id } = await fixture.requests.open(draft);
  await fixture.requests.decide(id, yes);

  const requests = fixture.openWith(otherKey);

  expect(await requests.list({ state: "pending" })).toEqual([pending]);
  expect(await requests.get(id)).toMatchObject({ state: "expired" });
  await expect(requests.decide(pending.id, yes)).rejects.toThrow("was not written by troupe");
  expect(await requests.cancel(pending.id, bob)).toMatchObject({ state: "cancelled" });
  expect(fixture.forgeries).toHaveLength(2);
});

test("decided requests are read once to list the pending ones, in any number of calls", async () => {
  await using fixture = await open();
  const decided = await fixture.requests.open(draft);
  await fixture.requests.decide(decided.id, yes);
  const pending = await fixture.requests.open(draft);
  const requests = await fixture.reopen();
  using calls = noteFileCalls();
  const openedPaths = () => calls.taken().flatMap((it) => (/^open/.test(it.name) ? it.path : []));

  const first = await requests.list({ state: "pending" });
  const readAtFirst = openedPaths();
  const second = await requests.list({ state: "pending" });
  const readAgain = openedPaths();

  expect([first, second]).toEqual([[pending], [pending]]);
  expect(readAtFirst.some((path) => path.includes(decided.id))).toBe(true);
  expect(readAgain.filter((path) => !path.includes(pending.id))).toEqual([]);
  expect(await requests.list({ state: "approved" })).toMatchObject([{ id: decided.id }]);
  expect(await requests.list()).toHaveLength(2);
});

test("decisions and questions of another process after the first list are in the next one", async () => {
  await using fixture = await open();
  const first = await fixture.requests.open(draft);
  await fixture.requests.list({ state: "pending" });
  const other = await fixture.reopen();

  await other.decide(first.id, yes);
  const second = await other.open(draft);

  expect(await fixture.requests.list({ state: "pending" })).toEqual([second]);
  expect(await fixture.requests.list({ state: "approved" })).toMatchObject([{ id: first.id }]);
});

test("an approval that is changed after it was listed no longer counts as approved", async () => {
  await using fixture = await open();
  const { id } = await fixture.requests.open(draft);
  const approved = await fixture.requests.decide(id, yes);
  await fixture.requests.list({ state: "approved" });

  await fixture.rewrite(TeamRequest.parse({ ...approved, subject: { plan: "another" } }));

  expect(await fixture.requests.list({ state: "approved" })).toEqual([]);
  expect(await fixture.requests.list({ state: "expired" })).toMatchObject([{ id }]);
});

test("a damaged file is reported and hides no other request", async () => {
  await using fixture = await open();
  const request = await fixture.requests.open(draft);
  await writeFile(join(fixture.path, "00000000-0000-7000-8000-000000000000.json"), "{");

  expect(await fixture.requests.list()).toEqual([request]);
  expect(fixture.problems).toHaveLength(1);
});

test("a decision committed by a process that died at that moment counts", async () => {
  await using fixture = await open();
  const request = await fixture.requests.open(draft);
  const approved = await fixture.requests.decide(request.id, yes);
  await fixture.rewrite(request);
  await utimes(join(fixture.path, `${request.id}.json`), 0, 0);

  const other = await fixture.reopen();
  expect(await other.get(request.id)).toEqual(approved);
  await other.repair();

  const text = await readFile(join(fixture.path, `${request.id}.json`), "utf8");
  expect(TeamRequest.parse(JSON.parse(text))).toEqual(approved);
  expect(fixture.forgeries).toEqual([]);
});

/** `isWatched` where changes made elsewhere are to be reported. */
async function open({ isWatched = false } = {}) {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const problems: string[] = [];
  const forgeries: string[] = [];
  const watch = new DirectoryWatch({
    directory: directory.path,
    clock: systemClock,
    onFallback: () => undefined,
  });
  const openWith = (bytes: Uint8Array) =>
    StoredRequests.inFiles({
      directory: directory.path,
      watch: isWatched ? watch : undefined,
      signature: hmacSignature(bytes),
      clock,
      onDamage: (problem) => void problems.push(problem),
      onForgery: (problem) => void forgeries.push(problem),
    });
  return {
    path: directory.path,
    problems,
    forgeries,
    clock,
    requests: openWith(key),
    openWith,
    reopen: async () => openWith(key),
    /** What somebody does who writes to the request's file. */
    rewrite: (request: TeamRequest) =>
      writeFile(join(directory.path, `${request.id}.json`), JSON.stringify(request)),
    [Symbol.asyncDispose]: () => {
      watch[Symbol.dispose]();
      return directory[Symbol.asyncDispose]();
    },
  };
}
