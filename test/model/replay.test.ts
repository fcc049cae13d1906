import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Secrets } from "../../src/lib/secrets.ts";
import type { Model, ModelPart, ModelRequest, Utterance } from "../../src/model/model.ts";
import { Recording } from "../../src/model/recording.ts";
import { Replay } from "../../src/model/replay.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { StopReason } from "../../src/protocol/transcript.ts";
import { testModel } from "../../src/testing/conformance/model.ts";
import {
  calls,
  fails,
  hangs,
  reply,
  ScriptedModel,
  type ScriptStep,
  says,
  streams,
  thinks,
} from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const call = calls("bash", { command: "ls" }, "call_1");
const secret = "sk-canary-0123456789";
const usage = { input_tokens: 3, output_tokens: 2, cache_read_tokens: 1, cache_write_tokens: 0 };

test("a replay gives each member its own calls, in any order of the members", async () => {
  await using fixture = await setUp();
  const { record, recorded } = fixture;
  const first = await ask(record(alice, reply([thinks("hm"), call], { usage })));
  const bobs = await ask(record(bob, says("I am bob")));
  const second = await ask(record(alice, says("done")), answering());

  const replay = await Replay.open(recorded);

  expect(await ask(replay.modelFor(alice))).toEqual(first);
  expect(await ask(replay.modelFor(alice), answering())).toEqual(second);
  expect(replay.unplayed()).toMatchObject([{ member: "bob", call: 1 }]);
  expect(await ask(replay.modelFor(bob))).toEqual(bobs);
  expect(replay.unplayed()).toEqual([]);
});

test("a recording has one line per call, with deltas joined and no waits", async () => {
  await using fixture = await setUp();
  const finish: ModelPart = { type: "finish", blocks: [says("hello")], stop: "end", usage };
  const failure = { kind: "cut", message: "The stream was cut" } as const;
  const parts: ModelPart[] = [
    { type: "text-delta", text: "void" },
    { type: "restart", failure, usage },
    { type: "waiting", reason: "another attempt", delayMs: 10 },
    { type: "text-delta", text: "hel" },
    { type: "text-delta", text: "lo" },
    finish,
  ];

  expect(await ask(fixture.record(alice, streams(...parts)))).toEqual(parts);

  const lines = (await readFile(fixture.recorded, "utf8")).split("\n");
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    type: "call",
    member: "alice",
    call: 1,
    model: "scripted",
    answered: [],
    parts: [{ type: "restart", failure, usage }, { type: "text-delta", text: "hello" }, finish],
  });
});

test("no secret gets into a recording", async () => {
  await using fixture = await setUp();

  const parts = await ask(fixture.record(alice, calls("bash", { command: `echo ${secret}` })));

  expect(JSON.stringify(parts)).toContain(secret);
  const text = await readFile(fixture.recorded, "utf8");
  expect(text).not.toContain(secret);
  expect(text).toContain("echo [key]");
});

test("a failed call fails again; an aborted one is not in the recording", async () => {
  await using fixture = await setUp();
  const failure = { kind: "bad-key", message: "Invalid key", hint: "Set it" } as const;
  const abort = new AbortController();

  await ask(fixture.record(alice, fails(failure)));
  const hanging = ask(fixture.record(alice, hangs()), opening(), abort.signal);
  abort.abort();
  await hanging;
  await ask(fixture.record(alice, says("after all")));

  const replay = await Replay.open(fixture.recorded);
  expect(await ask(replay.modelFor(alice))).toEqual([{ type: "error", failure }]);
  expect((await ask(replay.modelFor(alice)))[0]).toEqual({ type: "text-delta", text: "after all" });
});

test("the moment at which mail arrives does not matter to a replay", async () => {
  await using fixture = await setUp();
  await ask(fixture.record(alice, call));
  await ask(fixture.record(alice, says("done")), answering());
  const replay = await Replay.open(fixture.recorded);

  await ask(replay.modelFor(alice), [{ type: "input", texts: ["go", "mail of 12:03"] }]);
  const withMail: Utterance[] = [...answering(), { type: "input", texts: ["more mail"] }];

  expect((await ask(replay.modelFor(alice), withMail)).at(-1)?.type).toBe("finish");
});

test.each([
  [
    "a tool that failed this time",
    answering(true),
    "answers bash (failed), and there it answered bash",
  ],
  [
    "no results where there were some",
    opening(),
    "answers no tool call, and there it answered bash",
  ],
])("a replay that differs is reported: %s", async (_, conversation, difference) => {
  await using fixture = await setUp();
  await ask(fixture.record(alice, call));
  await ask(fixture.record(alice, says("done")), answering());
  const replay = await Replay.open(fixture.recorded);
  await ask(replay.modelFor(alice));

  expect(await ask(replay.modelFor(alice), conversation)).toMatchObject([
    {
      type: "error",
      failure: {
        kind: "bad-request",
        message: `Call 2 of alice differs from ${fixture.recorded}: it ${difference}`,
        hint: expect.stringContaining("same directory"),
      },
    },
  ]);
});

test("a call beyond the recording, or of a member that is not in it, is an error", async () => {
  await using fixture = await setUp();
  await ask(fixture.record(alice, says("once")));
  const replay = await Replay.open(fixture.recorded);

  expect(await ask(replay.modelFor(bob))).toMatchObject([
    { type: "error", failure: { message: expect.stringContaining("Call 1 of bob") } },
  ]);
});

test("an abort ends a replayed call between its parts, and one that has not started is kept", async () => {
  await using fixture = await setUp();
  await ask(fixture.record(alice, reply([says("one"), thinks("two")])));
  const replay = await Replay.open(fixture.recorded);
  const aborted = { type: "error", failure: { kind: "aborted" } };

  expect(await ask(replay.modelFor(alice), opening(), AbortSignal.abort())).toMatchObject([
    aborted,
  ]);
  expect(replay.unplayed()).toHaveLength(1);
  const abort = new AbortController();
  const seen: ModelPart[] = [];
  for await (const part of replay.modelFor(alice).stream(request(opening(), abort.signal))) {
    seen.push(part);
    abort.abort();
  }

  expect(seen).toMatchObject([{ type: "text-delta" }, aborted]);
});

test("a recording is private, and never added to an older one", async () => {
  await using fixture = await setUp();

  expect((await stat(fixture.recorded)).mode & 0o777).toBe(0o600);
  await expect(Recording.create(fixture.recorded, new Secrets([]))).rejects.toMatchObject({
    code: "config-invalid",
  });
});

test("a missing or invalid recording is refused, with its position", async () => {
  await using fixture = await setUp();
  const path = join(fixture.directory, "other.jsonl");

  await expect(Replay.open(path)).rejects.toMatchObject({ code: "config-invalid" });
  await writeFile(path, '{"type":"call","member":"alice"}\n');
  await expect(Replay.open(path)).rejects.toThrow(/other.jsonl, byte 0, at call/);
});

testModel("A recorded model", { stops: StopReason.options, thinks: true }, async (script) => {
  const directory = await temporaryDirectory();
  const recording = await Recording.create(join(directory.path, "run.jsonl"), new Secrets([]));
  return {
    model: recording.record(new ScriptedModel(script), alice),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
});

async function setUp() {
  const directory = await temporaryDirectory();
  const recorded = join(directory.path, "run.jsonl");
  const recording = await Recording.create(recorded, new Secrets([secret]));
  return {
    directory: directory.path,
    recorded,
    record: (member: MemberName, step: ScriptStep) =>
      recording.record(new ScriptedModel([step]), member),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function opening(): Utterance[] {
  return [{ type: "input", texts: ["go"] }];
}

/** The conversation once the tool that was called has run. */
function answering(is_error = false): Utterance[] {
  return [
    ...opening(),
    { type: "reply", blocks: [thinks("hm"), call] },
    { type: "results", results: [{ call_id: "call_1", output: "a file", is_error }] },
  ];
}

function request(conversation: Utterance[], signal: AbortSignal): ModelRequest {
  return { system: "", tools: [], conversation, maxOutputTokens: 100, signal };
}

async function ask(
  model: Model,
  conversation = opening(),
  signal = new AbortController().signal,
): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request(conversation, signal))) parts.push(part);
  return parts;
}
