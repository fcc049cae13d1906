import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, user } from "../../src/protocol/ids.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openStore } from "../support/team.ts";
import { troupe } from "./troupe.ts";

test("bad lines never hide unread mail", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await sendMany(store, 1);
  await appendBadLines(directory.path, 120);

  const { out } = await troupe(directory.path, "inbox");
  const json = await troupeJson(directory.path, "inbox");
  const messages = await troupeJson(directory.path, "messages");

  expect(out.slice(0, 3)).toEqual([
    expect.stringMatching(/^queued .* user → lead: mail 1$/),
    "Older lines that were set aside, not shown: 100.",
    expect.stringMatching(/^set aside .*\{bad 101$/),
  ]);
  expect(out).toHaveLength(1 + 1 + 20);
  expect(json).toMatchObject({
    unread: [{ content: "mail 1" }],
    recent: [],
    more: { unread: 0, set_aside: 100 },
  });
  expect(json.set_aside).toHaveLength(20);
  expect(messages[0]).toMatchObject({ content: "mail 1", state: "queued" });
});

test("the last 20 delivered messages are shown, regardless of lines set aside since", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { reader } = await store.openMember(lead, { onSetAside: () => undefined });
  const ids = await sendMany(store, 25);
  await reader.unread();
  await reader.acknowledge(ids[24] ?? expect.fail());
  await appendBadLines(directory.path, 20);

  const { out } = await troupe(directory.path, "inbox");

  expect(out[0]).toBe("No unread mail for lead.");
  expect(out.slice(1, 21).map((line) => line.split(": ").at(-1))).toEqual(
    Array.from({ length: 20 }, (_, index) => `mail ${index + 6}`),
  );
  expect(out.slice(21)).toHaveLength(20);
});

test("only the newest of a lot of unread mail is shown, with the number of the rest", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await sendMany(store, 250);

  const { out } = await troupe(directory.path, "inbox");
  const json = await troupeJson(directory.path, "inbox");

  expect(out[0]).toBe("Older unread messages not shown: 50.");
  expect(out[1]).toMatch(/: mail 51$/);
  expect(out.at(-1)).toMatch(/: mail 250$/);
  expect(out).toHaveLength(201);
  expect(json.more).toEqual({ unread: 50, set_aside: 0 });
  expect(json.unread).toHaveLength(200);
});

async function sendMany(store: TeamStore, count: number) {
  const ids = [];
  for (let n = 1; n <= count; n++) {
    const { id } = await store.send("lead", { type: "message", from: user, content: `mail ${n}` });
    ids.push(id);
  }
  return ids;
}

async function appendBadLines(root: string, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => `{bad ${index + 1}\n`);
  await appendFile(join(root, ".team", "inbox", "lead.jsonl"), lines.join(""));
}

async function troupeJson(root: string, command: string) {
  return JSON.parse((await troupe(root, command, "--json")).out.join("\n"));
}
