import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StopRequest } from "../../src/cli/stop-request.ts";
import { leave } from "../../src/lib/leaving.ts";
import { user } from "../../src/protocol/ids.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { stall, status } from "../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { requestIdIn } from "../e2e/promises/scenes.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { pixel } from "../support/pixel.ts";
import { teamPlace } from "../support/team.ts";
import { troupeIn } from "./troupe.ts";

const model = ["--model", "anthropic/scripted"];

/** Lines without an error. Where there is one, the failure of the test shows it. */
const noError = expect.not.arrayContaining([expect.stringMatching(/^error: /)]);

async function world() {
  const directory = await temporaryDirectory();
  const server = await ProviderServer.start({ strict: true });
  return {
    root: directory.path,
    server,
    run: (...argv: string[]) =>
      troupeIn({ root: directory.path, env: providerEnvironment(server) }, "run", ...argv),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test("run works on a prompt with real tools and prints the lead's last reply", async () => {
  await using it = await world();
  await writeFile(join(it.root, "notes.txt"), "The answer is 42.\n");
  it.server.reply(
    reply([says("I look."), calls("read_file", { path: "notes.txt" })]),
    says("It is 42."),
  );

  const result = await it.run("What is the answer?", ...model);

  expect(result).toEqual({
    code: 0,
    out: ["It is 42."],
    err: [
      'anthropic/scripted is not in the table of models. Assumed are a context window of 128000 tokens, replies of up to 8000, no price; what you know of it can be set under "models".',
      "I look.",
      "● read_file notes.txt",
    ],
  });
  expect(JSON.stringify(it.server.requests[1]?.body.messages.at(-1))).toContain(
    "The answer is 42.",
  );
  it.server.assertDone();
});

test("project instructions are only in the first turn", async () => {
  await using it = await world();
  await writeFile(join(it.root, "AGENTS.md"), "Use tabs.\n");
  it.server.reply(says("One."), says("Two."));

  await it.run("First.", ...model);
  await it.run("Second.", ...model);

  const text = it.server.requests[1]?.text ?? "";
  expect(text.split("Use tabs.")).toHaveLength(2);
  expect(it.server.requests[1]?.body.messages).toHaveLength(3);
});

test("a call that needs approval is denied if nobody can be asked, and the run continues", async () => {
  await using it = await world();
  it.server.reply(calls("write_file", { path: "a.txt", content: "a" }), says("I could not."));

  const { code, err } = await it.run("Write.", ...model);

  expect(code).toBe(0);
  expect(err.join("\n")).toContain("✗ Error: Denied: nobody is there");
  await expect(readFile(join(it.root, "a.txt"))).rejects.toThrow("ENOENT");
});

test.each([
  ["--allow", "write_file"],
  ["--allow", "edit_file(*.txt)"],
  ["--permission-mode", "acceptEdits"],
  ["--permission-mode", "bypassPermissions"],
])("%s %s allows the write", async (...flags) => {
  await using it = await world();
  it.server.reply(calls("write_file", { path: "a.txt", content: "a" }), says("Written."));

  const { code } = await it.run("Write.", ...model, ...flags);

  expect(code).toBe(0);
  expect(await readFile(join(it.root, "a.txt"), "utf8")).toBe("a");
});

test("deny beats allow", async () => {
  await using it = await world();
  it.server.reply(calls("bash", { command: "touch a.txt" }), says("No."));

  const rules = ["--allow", "bash(touch:*)", "--deny", "bash(touch:*)"];
  const { err } = await it.run("Write.", ...model, ...rules);

  expect(err.join("\n")).toContain("✗ Error: Not permitted");
});

test.each([
  [["--max-turns", "1"], "turn-limit: the run reached its limit of 1 turn"],
  [["--max-cost", "0.000001"], "budget: The team's budget"],
])("%j ends the run with exit code 4", async (flags, reason) => {
  await using it = await world();
  it.server.reply(calls("bash", { command: "echo hi" }));

  const { code, err } = await it.run("Go.", "--model", "anthropic/claude-sonnet-4-5", ...flags);

  expect(code).toBe(4);
  expect(err.join("\n")).toContain(reason);
});

test("a failure is in the summary of --output json, with what to do", async () => {
  await using it = await world();
  it.server.reply(status(401));

  const { out } = await it.run("Go.", ...model, "--output", "json");

  expect(JSON.parse(out.join(""))).toMatchObject({
    exit_code: 1,
    reason: expect.stringContaining("refuses the key"),
    hint: expect.stringContaining("ANTHROPIC_API_KEY"),
  });
});

test("a provider failure is reported with a hint, and exits 1", async () => {
  await using it = await world();
  it.server.reply(status(401));

  const { code, out, err } = await it.run("Go.", ...model);

  expect(code).toBe(1);
  expect(out).toEqual([]);
  expect(err.join("\n")).toContain("ANTHROPIC_API_KEY");
  expect(err.join("\n")).not.toContain(providerEnvironment(it.server).ANTHROPIC_API_KEY);
});

test.each([
  [["Go.", "--model", "gpt"], '"gpt" is not a model'],
  [["Go.", "--model", "acme/gpt"], "unknown provider"],
  [["Go.", ...model, "--permission-mode", "yolo"], "--permission-mode"],
  [["Go.", ...model, "--max-turns", "0"], "--max-turns"],
  [["Go.", ...model, "--max-turns", "many"], "--max-turns"],
  [["Go.", ...model, "--allow", "bash("], "is not a permission rule"],
  [["Go.", ...model, "--max-cost", "1"], "has no known price"],
  [[" "], "The prompt is empty"],
  [[], "Missing"],
])("wrong usage exits 2 and asks no model: %j", async (argv, problem) => {
  await using it = await world();

  const { code, out, err } = await it.run(...argv);

  expect(code).toBe(2);
  expect(out).toEqual([]);
  expect(err[0]).toContain(problem);
  expect(it.server.requests).toEqual([]);
});

test("without a named model one for the key that is set is used, and that is said", async () => {
  await using it = await world();
  it.server.reply(says("Hello."));

  const { code, out, err } = await it.run("Go.");

  expect({ code, out }).toEqual({ code: 0, out: ["Hello."] });
  expect(err).toEqual([
    'note: No model is named, so anthropic/claude-sonnet-5-5 is used, because ANTHROPIC_API_KEY is set. Another one: --model, TROUPE_MODEL or "model" in your settings; `troupe models` lists what is known.',
  ]);
  expect(it.server.requests[0]?.body.model).toBe("claude-sonnet-5-5");
});

test("a model of the table needs no provider", async () => {
  await using it = await world();
  it.server.reply(says("Hello."));

  const { code } = await it.run("Go.", "--model", "claude-haiku-5-5");

  expect(code).toBe(0);
  expect(it.server.requests[0]?.body.model).toBe("claude-haiku-5-5");
});

test("for a model that its provider does not have, similar ones are named", async () => {
  await using it = await world();
  it.server.reply(status(404));

  const { code, err } = await it.run("Go.", "--model", "anthropic/claude-sonet-5-5");

  expect(code).toBe(1);
  expect(err.join("\n")).toContain("similar names: anthropic/claude-sonnet-5-5");
});

test("a missing key is reported before anything is created, and exits 1", async () => {
  await using it = await world();

  const { code, out, err } = await it.run("Go.", "--model", "openrouter/google/gemini");

  expect(code).toBe(1);
  expect(out).toEqual([]);
  expect(err[0]).toContain("OPENROUTER_API_KEY is not set");
  expect(await readdir(it.root)).toEqual([]);
});

test("a refusal of the provider is unfinished work: exit 3", async () => {
  await using it = await world();
  it.server.reply(reply([says("I can't.")], { stop: "refusal" }));

  expect(await it.run("Go.", ...model)).toMatchObject({ code: 3, out: [] });
});

test("text of a provider cannot move the cursor", async () => {
  await using it = await world();
  const message = "no\u001b[2Jsuch\nmodel";
  it.server.reply(
    status(400, { type: "error", error: { type: "invalid_request_error", message } }),
  );

  const { err } = await it.run("Go.", ...model);

  expect(err.join("\n")).toContain("no\\x1b[2Jsuch ⏎ model");
});

test("the lead's last reply cannot move the cursor, in any output format", async () => {
  await using it = await world();
  const said = "first\r\n\u001b[2J\u009b2J\u202eevil\tlast";
  for (const output of ["text", "json", "stream-json"]) {
    it.server.reply(says(said));

    const { out } = await it.run("Go.", ...model, "--output", output);

    expect(out.join("\n")).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
    if (output === "text") expect(out).toEqual(["first\n\\x1b[2J\\x9b2J\\u{202e}evil\tlast"]);
    if (output === "json") expect(JSON.parse(out.join(""))).toMatchObject({ result: said });
    if (output === "stream-json") {
      const events = out.map((line) => JSON.parse(line));
      expect(events).toContainEqual(expect.objectContaining({ type: "text-delta", text: said }));
    }
  }
});

test("the summary of a run that a signal ends has the exit code of the process", async () => {
  await using it = await world();
  const stop = new AbortController();
  it.server.replyWith(() => {
    stop.abort(new StopRequest(143));
    return stall(says("Never."), "nothing");
  });
  const started = { root: it.root, env: providerEnvironment(it.server), signal: stop.signal };

  const { out } = await troupeIn(started, "run", "Go.", ...model, "--output", "json");

  expect(JSON.parse(out.join(""))).toMatchObject({ exit_code: 143 });
});

test.each([
  ["a link out of the workspace", (path: string) => symlink("/etc/hostname", path)],
  ["a directory", (path: string) => mkdir(path)],
])("%s in place of AGENTS.md is reported and not used", async (_, make) => {
  await using it = await world();
  await make(join(it.root, "AGENTS.md"));
  await writeFile(join(it.root, "CLAUDE.md"), "Use tabs.");
  it.server.reply(says("Done."));

  const { code, err } = await it.run("Go.", ...model);

  expect(code).toBe(0);
  expect(err.join("\n")).toContain("AGENTS.md is not used");
  expect(it.server.requests[0]?.text).toContain("Use tabs.");
});

test("P24 a key in project instructions or in mail is in no request and in no transcript", async () => {
  await using it = await world();
  const key = providerEnvironment(it.server).ANTHROPIC_API_KEY ?? "";
  await writeFile(join(it.root, "AGENTS.md"), `The key is ${key}.`);
  it.server.reply(says("Done."));
  const place = teamPlace(it.root);
  {
    await using store = await FileTeamStore.open(place);
    const content = `${key} ${"x".repeat(40_000)}`;
    await store.send("lead", { type: "message", from: user, content });
  }

  await it.run("Go.", ...model);

  const transcript = await readFile(join(it.root, ".team/transcripts/lead.jsonl"), "utf8");
  const [whole = ""] = await readdir(join(it.root, ".team/outputs"));
  const kept = await readFile(join(it.root, ".team/outputs", whole), "utf8");
  for (const text of [it.server.requests[0]?.text ?? "", transcript, kept]) {
    expect(text).toContain("[key]");
    expect(text).not.toContain(key);
  }
});

test("a workspace that does not exist is reported, and not created", async () => {
  await using it = await world();

  const missing = join(it.root, "missing");
  const teamDir = join(missing, ".team");
  const { code, err } = await it.run("Go.", ...model, "--cwd", missing, "--team-dir", teamDir);

  expect(code).toBe(2);
  expect(err[0]).toBe(`error: --cwd ${missing} is not a directory`);
  expect(await readdir(it.root)).not.toContain("missing");
});

test("a stopped run continues at the next start, with the call that had not started", async () => {
  await using it = await world();
  await mkdir(join(it.root, "sub"));
  const stopping = new AbortController();
  it.server.replyWith(({ body }) => {
    const replies = body.messages.filter(({ role }) => role === "assistant").length;
    if (replies > 0) return says("Done.");
    leave(stopping);
    return calls("bash", { command: "ls" });
  });
  const env = providerEnvironment(it.server);

  const first = await troupeIn(
    { root: it.root, env, signal: stopping.signal },
    ...["run", "Go.", ...model],
  );
  const second = await it.run("Go on.", ...model);

  expect(first).toEqual({ code: 3, out: [], err: noError });
  expect(second).toEqual({ code: 0, out: ["Done."], err: noError });
  expect(it.server.refusals).toEqual([]);
});

test("a recording can be replayed without a provider", async () => {
  await using it = await world();
  await using elsewhere = await temporaryDirectory();
  const recording = join(elsewhere.path, "run.jsonl");
  it.server.reply(calls("bash", { command: "echo hi" }), says("It says hi."));
  const first = await it.run("Greet.", ...model, "--record", recording);

  const again = await troupeIn(
    { root: elsewhere.path, env: {} },
    ...["run", "Greet.", "--model", `replay:${recording}`],
  );

  // Only of a provider's model it is said what is assumed.
  expect(again).toEqual({ ...first, err: first.err.slice(1) });
  expect(it.server.requests).toHaveLength(2);
  const third = await it.run("Greet.", ...model, "--record", recording);
  expect(third).toMatchObject({
    code: 2,
    err: [expect.stringContaining("already exists"), expect.anything()],
  });
});

test("the end of a background job is in the next request, once", async () => {
  await using it = await world();
  let turn = 0;
  it.server.replyWith(({ text }) => {
    if (text.includes("has ended")) return says("Built.");
    // Looks again and again, each time in other words, as a model that waits does.
    const command = turn === 0 ? "echo built" : `sleep 0.02 # ${turn}`;
    return calls(turn++ === 0 ? "background_run" : "bash", { command });
  });

  const result = await it.run("Build.", ...model, "--permission-mode", "bypassPermissions");

  expect(result).toMatchObject({ code: 0, out: ["Built."] });
  const text = it.server.requests.at(-1)?.text ?? "";
  expect(text.split("has ended: completed")).toHaveLength(2);
  expect(text).toContain("built");
});

test("P17 the person sees why it waits, and the run continues", async () => {
  await using it = await world();
  it.server.reply(status(529), says("Done."));

  const result = await it.run("Go.", ...model);

  expect(result).toMatchObject({ code: 0, out: ["Done."] });
  expect(result.err.join("\n")).toMatch(/… waiting \d+ s: .*overloaded/i);
  expect(it.server.requests).toHaveLength(2);
});

test.each([
  [400, undefined, "bad-request"],
  [401, undefined, "ANTHROPIC_API_KEY"],
  [403, undefined, "ANTHROPIC_API_KEY"],
  [404, undefined, "does not have the model"],
  [
    400,
    {
      type: "error",
      error: { type: "invalid_request_error", message: "Your credit balance is too low" },
    },
    "credit",
  ],
])("P17 status %i is reported plainly and not retried: %j", async (code, body, words) => {
  await using it = await world();
  it.server.reply(status(code, body));

  const { code: exit, err } = await it.run("Go.", ...model);

  expect(exit).toBe(1);
  expect(it.server.requests).toHaveLength(1);
  if (words !== "bad-request") expect(err.join("\n")).toContain(words);
});

test("a failure of the lead is told once, whole", async () => {
  await using it = await world();
  const reason = `no such model ${"x".repeat(300)}`;
  it.server.reply(status(404, { error: { type: "not_found_error", message: reason } }));

  const { code, err } = await it.run("Go.", ...model);

  expect(code).toBe(1);
  expect(err.filter((line) => line.includes("no such model"))).toEqual([
    expect.stringMatching(new RegExp(`^failed: .*${reason}`)),
  ]);
});

const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

/** A lead that hands in these values, one after the other, and ends when one is accepted. */
function submits(...values: unknown[]) {
  return (request: ProviderRequest) =>
    request.text.includes("Result accepted")
      ? says("Handed in.")
      : calls("submit_result", { request_id: requestIdIn(request), result: values.shift() });
}

async function withSchema(text: string) {
  const it = await world();
  await writeFile(join(it.root, "schema.json"), text);
  return it;
}

test("--schema prints the value that the lead hands in, and no more", async () => {
  await using it = await withSchema(JSON.stringify(schema));
  it.server.replyWith(submits({ ok: "yes" }, { ok: true }));

  const { code, out } = await it.run("Is it?", "--schema", "schema.json", ...model);

  expect({ code, out }).toEqual({ code: 0, out: ['{"ok":true}'] });
});

test("--schema with --output json has the value as `structured`, beside the lead's last reply", async () => {
  await using it = await withSchema(JSON.stringify(schema));
  it.server.replyWith(submits({ ok: false }));

  const argv = ["--schema", "schema.json", "--output", "json", ...model];
  const { out } = await it.run("Is it?", ...argv);

  expect(JSON.parse(out[0] ?? "")).toMatchObject({
    result: "Handed in.",
    structured: { ok: false },
    exit_code: 0,
  });
});

test("P22 without a value that matches --schema, a run exits 3 and says why", async () => {
  await using it = await withSchema(JSON.stringify(schema));
  it.server.reply(says("No idea."), says("Still none."));

  const argv = ["--schema", "schema.json", "--output", "json", ...model];
  const { code, out, err } = await it.run("Is it?", ...argv);

  expect(code).toBe(3);
  expect(JSON.parse(out[0] ?? "")).toMatchObject({ structured: null, exit_code: 3 });
  expect(err).toContain("The lead has given no result: it ended without one");
});

test("a question of --schema that was stopped does not trouble the next run", async () => {
  await using it = await withSchema(JSON.stringify(schema));
  it.server.reply(stall(says("Never."), "nothing"));
  const { code } = await it.run(
    ...["Is it?", "--schema", "schema.json", "--timeout", "0.05", ...model],
  );
  it.server.reply(says("Fine."));

  const next = await it.run("Hello.", ...model);

  expect([code, next.code]).toEqual([4, 0]);
  it.server.assertDone();
});

test.each([
  ["that is missing", undefined, "cannot be read: ENOENT"],
  ["that is not JSON", "{", "is not JSON"],
  ["that is a list", "[]", "is not a JSON object"],
  ["that is no schema", '{"type":"riddle"}', "The schema of a result is wrong"],
  ["that is too large", `{"title":"${"x".repeat(300_000)}"}`, "has more than 262144 bytes"],
])("--schema with a file %s exits 2, and nothing is started", async (_, text, message) => {
  await using it = text === undefined ? await world() : await withSchema(text);

  const { code, out, err } = await it.run("Is it?", "--schema", "schema.json", ...model);

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err.join("\n")).toContain(message);
  expect(await readdir(it.root)).not.toContain(".team");
});

test("--image shows images with the prompt, relative to where the command was typed", async () => {
  await using it = await world();
  await mkdir(join(it.root, "work"));
  await writeFile(join(it.root, "a.png"), Buffer.from(pixel.data, "base64"));
  await writeFile(join(it.root, "b.png"), Buffer.from(pixel.data, "base64"));
  it.server.reply(says("Two pixels."));

  const argv = ["--image", "a.png", "--image", "b.png", "--cwd", join(it.root, "work"), ...model];
  const { code, out } = await it.run("What are they?", ...argv);

  expect({ code, out }).toEqual({ code: 0, out: ["Two pixels."] });
  expect(it.server.requests[0]?.text.split(pixel.data)).toHaveLength(3);
  const { out: mail } = await troupeIn({ root: it.root, env: {} }, "messages");
  expect(mail.join()).toContain("user → lead [2 images]: What are they?");
});

test("--image with a file that is no image exits 2, and nothing is started", async () => {
  await using it = await world();
  await writeFile(join(it.root, "a.png"), "text");

  const { code, out, err } = await it.run("What is it?", "--image", "a.png", ...model);

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err[0]).toContain("a.png is not a PNG, JPEG, GIF or WebP");
  expect(await readdir(it.root)).not.toContain(".team");
});

test("--image with a model that takes none exits 2, and names one that does", async () => {
  await using it = await world();
  await writeFile(join(it.root, "a.png"), Buffer.from(pixel.data, "base64"));

  const argv = ["--image", "a.png", "--model", "openai/o3-mini"];
  const { code, out, err } = await it.run("What is it?", ...argv);

  expect({ code, out }).toEqual({ code: 2, out: [] });
  expect(err).toContain("error: openai/o3-mini does not take image/png");
  expect(err).toContain("Models that take images: openai/gpt-6.1-sol.");
  expect(it.server.requests).toEqual([]);
});
