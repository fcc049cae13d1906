import { expect, test } from "vitest";
import { MemberName, newRequestId, user } from "../../../src/protocol/ids.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import { diffLines, diffOfCall } from "../../../src/server/room/diff-lines.ts";
import { entryHas, entryView } from "../../../src/server/room/entry-view.ts";
import { LiveTextBuffer } from "../../../src/server/room/live-text-buffer.ts";
import { requestView } from "../../../src/server/room/request-view.ts";

const at = "2026-01-01T09:00:00.000Z";
const alice = MemberName.parse("alice");
const view = (entry: TranscriptEntry) => entryView({ cursor: "c", entry, damage: null });

test("a diff has a few lines of context and the number of omitted ones", () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");

  expect(diffLines(before, before.replace("line 10", "line ten"))).toEqual([
    { type: "skipped", text: "7 unchanged lines" },
    ...["line 7", "line 8", "line 9"].map((text) => ({ type: "same", text })),
    { type: "removed", text: "line 10" },
    { type: "added", text: "line ten" },
    ...["line 11", "line 12", "line 13"].map((text) => ({ type: "same", text })),
    { type: "skipped", text: "6 unchanged lines" },
  ]);
});

test("the content of a new file is shown as added, with hidden characters spelled out", () => {
  expect(diffOfCall("write_file", { path: "a", content: "one\ntwo\u200b\n" })).toEqual([
    { type: "added", text: "one" },
    { type: "added", text: "two<U+200B>" },
  ]);
  expect(diffOfCall("bash", { command: "ls" })).toBeNull();
  expect(diffOfCall("edit_file", { path: "a" })).toBeNull();
});

test("a diff marks cut lines, other arguments, and invisible changes", () => {
  const content = `echo ok${" ".repeat(2_000)}; rm -rf ~`;
  const edit = { path: "a", old_text: "one", new_text: "one\n", replace_all: true };

  expect(diffOfCall("write_file", { path: "a", content })).toEqual([
    { type: "added", text: `${content.slice(0, 2_000)}…` },
    { type: "skipped", text: "17 characters of this line" },
  ]);
  expect(diffOfCall("edit_file", edit)).toEqual([
    { type: "same", text: "one" },
    { type: "skipped", text: "the line break at the end is added" },
    { type: "skipped", text: "further arguments: replace_all" },
  ]);
});

test("a diff of two long texts with nothing in common is cut", () => {
  const text = (name: string) =>
    Array.from({ length: 20_000 }, (_, index) => `${name} ${index}`).join("\n");

  const lines = diffLines(text("old"), text("young"));

  expect(lines).toHaveLength(2_001);
  expect(lines.at(-1)).toEqual({ type: "skipped", text: "38000 lines" });
});

test("an entry is shown as readable text, cut if it is long", () => {
  const output = "x".repeat(30_000);
  const images = [{ media_type: "image/png", data: "" }];

  expect(
    view({ type: "tool-result", at, call_id: "1", output, is_error: false, images }),
  ).toMatchObject({ output: "x".repeat(20_000), is_cut: true, images: ["image/png"] });
  expect(view({ type: "tool-start", at, call_id: "1" })).toBeUndefined();
  expect(view({ type: "run-settled", at })).toBeUndefined();
  expect(view({ type: "images-refused", at, reason: "Too many pixels." })).toMatchObject({
    type: "note",
    text: "Images are left out: Too many pixels.",
  });
  const provider = { some: { signature: "s" } };
  const blocks = [{ type: "thinking" as const, text: "hm", provider }];
  expect(view({ type: "reply", at, blocks, stop: "end" })).toEqual({
    ...{ cursor: "c", at, type: "reply", stop: "end", usage: null },
    blocks: [{ type: "thinking", text: "hm" }],
  });
});

test("a call is shown with its main argument, all others, and its changes", () => {
  const input = { path: "a.ts", old_text: "one", new_text: "two" };
  const blocks = [{ type: "tool-call" as const, call_id: "1", name: "edit_file", input }];

  const shown = view({ type: "reply", at, blocks, stop: "tool-calls" });

  expect(shown).toMatchObject({
    blocks: [
      {
        summary: "a.ts",
        input: JSON.stringify(input, null, 2),
        diff: [
          { type: "removed", text: "one" },
          { type: "added", text: "two" },
        ],
      },
    ],
  });
  expect(shown && entryHas(shown, "a.ts")).toBe(true);
  expect(shown && entryHas(shown, "nothing")).toBe(false);
});

test("a cut is made before a word, so that no half of a secret is left that no mask recognizes", () => {
  const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  const command = `${"x ".repeat(90)}${secret} y`;
  const output = `${"x ".repeat(9_990)}${secret} y`;
  const blocks = [{ type: "tool-call" as const, call_id: "1", name: "bash", input: { command } }];

  expect(view({ type: "reply", at, blocks, stop: "tool-calls" })).toMatchObject({
    blocks: [{ summary: "x ".repeat(90) }],
  });
  expect(view({ type: "tool-result", at, call_id: "1", output, is_error: false })).toMatchObject({
    ...{ output: "x ".repeat(9_990), is_cut: true },
  });
});

test("a line that is not an entry is shown as damaged", () => {
  expect(entryView({ cursor: "c", entry: null, damage: "is not JSON" })).toEqual({
    ...{ cursor: "c", at: null, type: "damaged", reason: "is not JSON" },
  });
});

test("a question shows exactly what would run, not only the command", () => {
  const request: TeamRequest = {
    ...{ id: newRequestId(new Date()), type: "permission", from: alice, to: user },
    subject: { tool: "bash", input: { command: "ls", background: true } },
    ...{ hash: "0".repeat(64), created_at: at, sig: "", state: "pending", decision: null },
    version: 1,
  };

  expect(requestView(request).shown).toBe('bash {\n  "command": "ls",\n  "background": true\n}');
});

test("a question about an effect shows what its tool says, and then exactly what would run", () => {
  const request: TeamRequest = {
    ...{ id: newRequestId(new Date()), type: "permission", from: alice, to: user },
    subject: { tool: "tickets", input: { name: "a", title: "b" }, summary: "Create ticket b" },
    ...{ hash: "0".repeat(64), created_at: at, sig: "", state: "pending", decision: null },
    version: 1,
  };

  expect(requestView(request)).toMatchObject({
    summary: "Create ticket b",
    shown: 'Create ticket b\n\ntickets {\n  "name": "a",\n  "title": "b"\n}',
  });
});

test("a question about a file names the file that would be written, whatever its other arguments", () => {
  const input = { command: "docs/harmless.md", path: "ci.yml", content: "run: evil" };
  const request: TeamRequest = {
    ...{ id: newRequestId(new Date()), type: "permission", from: alice, to: user },
    subject: { tool: "write_file", input },
    ...{ hash: "0".repeat(64), created_at: at, sig: "", state: "pending", decision: null },
    version: 1,
  };

  expect(requestView(request)).toMatchObject({
    summary: "ci.yml",
    diff: [
      { type: "added", text: "run: evil" },
      { type: "skipped", text: "further arguments: command" },
    ],
  });
});

test("live text arrives in pieces, each once, and starts again with a new turn", () => {
  const live = new LiveTextBuffer();
  const say = (text: string) => live.take({ type: "text-delta", at, member: alice, text });
  const start = { key: 0, length: 0 };

  say("one ");
  const first = live.since("alice", start);
  say("two");
  const second = first && live.since("alice", first.place);
  live.take({ type: "reply-restart", at, member: alice, reason: "lost" });
  const third = second && live.since("alice", second.place);

  expect(first?.live).toMatchObject({ kind: "writes", from: 0, text: "one " });
  expect(second?.live).toMatchObject({ from: 4, text: "two", key: first?.live.key });
  expect(third?.live).toMatchObject({ from: 0, text: "" });
  expect(third?.live.key).not.toBe(first?.live.key);
  expect(third && live.since("alice", third.place)).toBeUndefined();
});

test("only the end of endless text is kept", () => {
  const live = new LiveTextBuffer();
  const piece = "x".repeat(9_999);
  for (let index = 0; index < 100; index++) {
    live.take({
      type: "tool-output",
      at,
      member: alice,
      call_id: "1",
      text: `${piece}${index % 10}`,
    });
  }

  const words = live.since("alice", { key: 0, length: 0 });

  expect(words?.live.text.length).toBeLessThanOrEqual(100_000);
  expect(words?.live.text.endsWith("9")).toBe(true);
});
