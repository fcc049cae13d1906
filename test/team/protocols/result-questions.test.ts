import { expect, test } from "vitest";
import { z } from "zod";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { lead, MemberName, newRequestId, user } from "../../../src/protocol/ids.ts";
import { type MessageDraft, maxContentBytes } from "../../../src/protocol/message.ts";
import { StoredRequests } from "../../../src/requests/stored-requests.ts";
import {
  promptIdOf,
  type ResultQuestion,
  ResultQuestions,
} from "../../../src/team/protocols/result-questions.ts";
import { readSchema } from "../../../src/team/protocols/result-schema.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const number = z.object({ value: z.number() });

test("a question is a request of the person to the lead, with a message that says how to answer", async () => {
  const it = openQuestions();
  const images = [{ media_type: "image/png", sha256: "a".repeat(64), bytes: 1 }] as const;

  const request = await it.ask({ images });

  expect(request).toMatchObject({ type: "result", from: user, to: lead, state: "pending" });
  expect(request.subject).toMatchObject({
    prompt: "How much?",
    images,
    schema: { type: "object" },
  });
  expect(request.subject).not.toHaveProperty("key");
  expect(it.mail).toMatchObject([[lead, { type: "message", from: user, images }]]);
  expect(it.mail[0]?.[1]).toMatchObject({ id: promptIdOf(request) });
  expect(it.mail[0]?.[1].content).toMatch(
    new RegExp(`^How much\\?\\n\\n.*submit_result, request_id=${request.id}.*"value"`, "s"),
  );
});

test("a question that is asked again under its key is the same one, and the lead is told to continue", async () => {
  const it = openQuestions();
  const first = await it.ask({ key: "amount" });
  it.mail.length = 0;

  const again = await it.nextProcess().ask({ key: "amount" });

  expect(again.id).toBe(first.id);
  expect(it.mail.map(([, { content }]) => content)).toEqual([
    expect.stringMatching(/^How much\?/),
    `Continue: the result is still wanted (submit_result, request_id=${first.id}).`,
  ]);
});

test("an answer under a key counts while it is right: otherwise the question is asked anew", async () => {
  const it = openQuestions();
  const first = await it.ask({ key: "amount" });
  await it.questions.submit(first.id, { value: 1 });
  it.mail.length = 0;

  const known = await it.ask({ key: "amount" });
  expect([known.id, known.state, it.mail]).toEqual([first.id, "approved", []]);
  const stricter = readSchema(z.object({ value: z.number().min(5) }));
  const anew = await it.ask({ key: "amount", check: stricter.check });

  expect(anew).toMatchObject({ state: "pending" });
  expect(anew.id).not.toBe(first.id);
  expect(it.mail).toHaveLength(1);
});

test("a question that was given up is asked anew, and one without a key is always another one", async () => {
  const it = openQuestions();
  const first = await it.ask({ key: "amount" });
  await it.questions.cancel(first.id, "enough");
  await it.questions.cancel(first.id, "twice is as good as once");

  const again = await it.ask({ key: "amount" });
  const others = [await it.ask(), await it.ask({ key: "another" }), await it.ask()];

  expect(new Set([first, again, ...others].map(({ id }) => id)).size).toBe(5);
});

test("another text under a key is refused, whether the question is open or answered", async () => {
  const it = openQuestions();
  const { id } = await it.ask({ key: "amount" });

  const refused = { code: "config-invalid" };
  await expect(it.ask({ key: "amount", prompt: "How many?" })).rejects.toMatchObject(refused);
  await it.questions.submit(id, { value: 1 });
  await expect(it.ask({ key: "amount", prompt: "How many?" })).rejects.toMatchObject(refused);
});

test("a prompt that is too long for a message together with its schema is refused, and nothing is asked", async () => {
  const it = openQuestions();
  const prompt = "x".repeat(maxContentBytes - 100);

  await expect(it.ask({ prompt })).rejects.toMatchObject({ code: "content-too-large" });

  expect([await it.requests.list(), it.mail]).toEqual([[], []]);
});

test("a right value is kept as it was handed in", async () => {
  const it = openQuestions();
  const { id } = await it.ask();

  await it.questions.submit(id, { value: 7, more: true });

  expect(await it.requests.get(id)).toMatchObject({
    ...{ state: "approved", decision: { by: lead, value: { value: 7, more: true } } },
  });
});

test("P25 the fifth wrong value ends a question, and the lead is told each time what is wrong", async () => {
  const it = openQuestions();
  const [{ id }, other] = [await it.ask(), await it.ask()];
  const wrong = () => it.questions.submit(id, { value: "seven" });

  for (let count = 1; count <= 4; count++) {
    await expect(wrong()).rejects.toMatchObject({
      ...{ code: "request-refused", message: expect.stringMatching(/is wrong: value: /) },
      hint: expect.stringContaining("again"),
    });
  }
  expect((await it.requests.get(id)).state).toBe("pending");
  await expect(wrong()).rejects.toMatchObject({ hint: expect.stringContaining("last attempt") });

  const ended = await it.requests.get(id);
  expect([ended.state, ended.decision?.reason]).toEqual([
    "expired",
    expect.stringMatching(/^it was wrong 5 times: value: /),
  ]);
  await expect(wrong()).rejects.toMatchObject({ code: "request-unknown" });
  await it.questions.submit(other.id, { value: 1 });
});

test("a value without an id is for the only question; where there are several or none, that is said", async () => {
  const it = openQuestions();
  const submit = (id?: string) => it.questions.submit(id, { value: 1 });
  await expect(submit()).rejects.toMatchObject({
    ...{ message: expect.stringContaining("there is none"), hint: "No result is asked for." },
  });
  await it.ask();
  await submit();
  const [first, second] = [await it.ask(), await it.ask()];

  await expect(submit()).rejects.toMatchObject({
    ...{ message: expect.stringContaining("there are several") },
    hint: `Asked for: ${first.id}, ${second.id}.`,
  });
});

test("a value for what is no open question of a result is refused", async () => {
  const it = openQuestions();
  const alice = MemberName.parse("alice");
  const plan = await it.requests.open({
    ...{ type: "plan", from: alice, to: lead, subject: { plan: "1. …" } },
  });
  const over = await it.ask();
  await it.questions.cancel(over.id, "enough");

  for (const id of [plan.id, over.id, newRequestId(new Date(0)), "nonsense"]) {
    await expect(it.questions.submit(id, { value: 1 })).rejects.toMatchObject({
      code: "request-unknown",
    });
  }
  expect((await it.requests.get(plan.id)).state).toBe("pending");
});

test("at a start the questions that nobody waits for any more are cancelled, those with a key are not", async () => {
  const it = openQuestions();
  const plan = await it.requests.open({
    ...{ type: "plan", from: MemberName.parse("alice"), to: lead, subject: { plan: "1. …" } },
  });
  const [named, unnamed] = [await it.ask({ key: "amount" }), await it.ask()];

  await it.nextProcess().questions.restore();

  const states = [plan, named, unnamed].map(async ({ id }) => (await it.requests.get(id)).state);
  expect(await Promise.all(states)).toEqual(["pending", "pending", "cancelled"]);
});

test("after a restart the schema decides, where the program's own check does not yet", async () => {
  const it = openQuestions();
  const { id } = await it.ask({ key: "amount" });
  const { questions } = it.nextProcess();

  await expect(questions.submit(id, { value: "x" })).rejects.toMatchObject({
    ...{ code: "request-refused" },
  });
  await questions.submit(id, '{"value": 3}');

  expect((await it.requests.get(id)).decision?.value).toEqual({ value: 3 });
});

function openQuestions() {
  const clock = new ManualClock();
  const signature = hmacSignature(Buffer.alloc(32, 1));
  const requests = new StoredRequests({ clock, signature });
  const mail: [string, MessageDraft][] = [];
  const open = () => {
    const post = {
      send: async (to: string, draft: MessageDraft) => void mail.push([to, draft]),
    };
    const questions = new ResultQuestions({ requests, post });
    const { check, json: schema } = readSchema(number);
    const ask = (question: Partial<ResultQuestion> = {}) => {
      clock.advance(1_000);
      return questions.ask({ prompt: "How much?", schema, check, key: undefined, ...question });
    };
    return { questions, ask };
  };
  return { ...open(), clock, requests, mail, nextProcess: open };
}
