import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Dashboards } from "../../src/cli/command.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lead, MemberName, user } from "../../src/protocol/ids.ts";
import { PageExport } from "../../src/server/export/page-export.ts";
import { Room } from "../../src/server/room/room.ts";
import { apiRoutes } from "../../src/server/routes/api.ts";
import { secretMask } from "../../src/server/secret-mask.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { Team } from "../../src/team/team.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { accessBy, door, headersOf, pageBelow, sessionOf } from "../server/door.ts";
import { Page } from "../server/room/page.ts";
import { enlist, member, teamPlace } from "../support/team.ts";
import { noDashboards, troupeIn } from "./troupe.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const ignored = { onSetAside: () => undefined };

/** A team that is in no file: alice has read one message, has used a model, and asks something. */
async function teamInMemory() {
  const store = new MemoryTeamStore({ clock: systemClock });
  await enlist(store, member("alice"));
  const { transcript, reader } = await store.openMember(alice, ignored);
  const seen = await store.send("alice", { type: "message", from: lead, content: "Build it." });
  const [delivery] = await reader.unread();
  if (!delivery) throw new Error("Nothing is unread");
  await transcript.append([{ type: "delivery", at, ...delivery }]);
  await reader.acknowledge(seen.id);
  await store.send("alice", { type: "message", from: lead, content: "And test it." });
  await store.tasks.create({ subject: "Build it", created_by: lead });
  await store.usage.record({
    ...{ type: "call", at, member: alice, model: "some-model", cost_usd: 0.25 },
    ...{ input_tokens: 100, output_tokens: 20, cache_read_tokens: 0, cache_write_tokens: 0 },
  });
  const request = await store.requests.open({
    ...{ type: "permission", from: alice, to: user },
    subject: { tool: "bash", input: { command: "make" } },
  });
  return { store, reader, request };
}

function roomOf(store: MemoryTeamStore): Room {
  return new Room({ view: store.view(), clock: systemClock });
}

test("the commands show a team without files", async () => {
  await using directory = await temporaryDirectory();
  const { store, request } = await teamInMemory();
  const show = async (...argv: string[]) => {
    const said = await troupeIn({ root: directory.path, env: {}, view: store.view() }, ...argv);
    expect(said).toMatchObject({ code: 0, err: [] });
    return said.out.join("\n");
  };

  expect(await show("team")).toMatch(/alice \(coder\): idle[\s\S]*\$0\.25[\s\S]*1 unread/);
  expect(await show("inbox", "alice")).toMatch(/queued .*And test it\.[\s\S]*delivered .*Build it/);
  expect(await show("messages")).toMatch(/lead → alice: Build it\./);
  expect(await show("tasks")).toContain("1. [pending] Build it");
  expect(await show("log", "alice")).toContain("Build it.");
  expect(await show("cost")).toMatch(/alice .*\$0\.25/);
  expect(await show("approvals")).toContain(request.id);
});

test("the commands act on a team without files", async () => {
  await using directory = await temporaryDirectory();
  const { store, reader, request } = await teamInMemory();
  const run = (...argv: string[]) =>
    troupeIn({ root: directory.path, env: {}, view: store.view() }, ...argv);

  expect(await run("send", "alice", "One more thing.")).toMatchObject({ code: 0 });
  expect(await run("approve", request.id)).toMatchObject({ code: 0 });
  expect(await run("stop", "alice")).toMatchObject({ code: 0 });
  expect(await run("send", "carol", "hello")).toMatchObject({ code: 2 });

  expect((await reader.unread()).map(({ message }) => message)).toMatchObject([
    { content: "And test it." },
    { from: "user", content: "One more thing." },
    { type: "permission_response", request_id: request.id, decision: "allow-once" },
    { type: "shutdown_request", from: "user" },
  ]);
});

test("the changes that a team without files has made are shown, outside of git", async () => {
  await using directory = await temporaryDirectory();
  const { store } = await teamInMemory();
  const { transcript, reader } = await store.openMember(lead, ignored);
  await store.send("lead", { type: "message", from: user, content: "Write a note." });
  const [delivery] = await reader.unread();
  if (!delivery) throw new Error("Nothing is unread");
  await transcript.append([{ type: "delivery", at, ...delivery }]);
  const root = await realpath(directory.path);
  const path = join(root, "note.txt");
  const texts = { before: Buffer.from("one\n"), after: Buffer.from("two\n") };
  await writeFile(path, texts.after);
  const given = { member: lead, isSecret: false, makesRoom: true };
  await store.history.keep({ root, path, ...texts, ...given });

  const said = await troupeIn({ root, env: {}, view: store.view() }, "diff");

  expect(said).toMatchObject({ code: 0, err: [] });
  expect(said.out.join("\n")).toMatch(/note\.txt[\s\S]*one[\s\S]*two/);
});

test("a team without files has no archive", async () => {
  await using directory = await temporaryDirectory();
  const { store } = await teamInMemory();

  const said = await troupeIn({ root: directory.path, env: {}, view: store.view() }, "teams");

  expect(said).toMatchObject({ code: 0, err: [] });
  expect(said.out).toContain("No team is in the archive.");
});

test("a team without files is exported", async () => {
  await using directory = await temporaryDirectory();
  const { store } = await teamInMemory();
  const dashboards: Dashboards = {
    ...noDashboards,
    export: async ({ all = false, ...secrets }) =>
      PageExport.open({
        room: roomOf(store),
        pageDirectory: await pageBelow(directory.path),
        mask: await secretMask(secrets),
        all,
        now: new Date(),
      }),
  };

  const file = join(directory.path, "run.html");
  const said = await troupeIn({ root: directory.path, env: {}, dashboards }, "export", file);

  expect(said).toMatchObject({ code: 0 });
  const exported = await readFile(file, "utf8");
  for (const text of ["Build it.", "And test it.", "some-model"]) expect(exported).toContain(text);
});

test("the dashboard shows a team without files, follows it, and acts on it", async () => {
  await using directory = await temporaryDirectory();
  const { store, reader, request } = await teamInMemory();
  await using room = roomOf(store);
  const access = accessBy();
  const app = door({ page: await pageBelow(directory.path), access, api: apiRoutes(room) });
  const session = sessionOf(access);
  const get = async (path: string) => {
    const headers = { host: "127.0.0.1:4747", ...headersOf(session, { path }) };
    const answer = await app.request(`http://127.0.0.1:4747${path}`, { headers });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const post = async (path: string, body: string) => {
    const headers = {
      ...{ host: "127.0.0.1:4747", origin: "http://127.0.0.1:4747" },
      "content-type": "application/json",
      "content-length": `${Buffer.byteLength(body)}`,
      ...headersOf(session, { method: "POST", path, body }),
    };
    return app.request(`http://127.0.0.1:4747${path}`, { method: "POST", headers, body });
  };
  await using page = new Page(room);

  const shown = await page.shows(({ members }) => members[1]?.unread === 1);
  const messages = await get("/api/messages");
  const transcript = await get("/api/members/alice/transcript");
  const cost = await get("/api/cost");
  const away = await get("/api/away?since=2026-01-01T00:00:00.000Z");
  const checkouts = await get("/api/checkouts");
  const sent = await post("/api/messages", '{"to":"alice","content":"From the page."}');
  const answer = JSON.stringify({ hash: request.hash, decision: "deny", reason: "not now" });
  const answered = await post(`/api/requests/${request.id}/answer`, answer);

  expect(shown).toMatchObject({
    team: { name: "default" },
    running: { pid: process.pid },
    members: [{ name: "lead" }, { name: "alice", cost_usd: 0.25, model: "some-model" }],
    tasks: [{ subject: "Build it" }],
    requests: [{ id: request.id, is_open: true }],
    problems: [],
  });
  expect(new Set(shown.messages.map(({ text, state }) => `${text} ${state}`))).toEqual(
    new Set(["Build it. delivered", "And test it. queued"]),
  );
  expect(messages).toContain("And test it.");
  expect(transcript).toContain("Build it.");
  expect(cost).toContain("0.25");
  expect(JSON.parse(away)).toMatchObject({ messages: 2, cost_usd: 0.25 });
  expect(JSON.parse(checkouts)).toMatchObject({ checkouts: [] });
  expect([sent.status, answered.status]).toEqual([204, 204]);
  await page.shows(({ messages: all }) => all.some(({ text }) => text === "From the page."));
  expect((await reader.unread()).at(-1)).toMatchObject({
    message: { type: "permission_response", decision: "deny", reason: "not now" },
  });
  await enlist(store, member("bob"));
  await page.shows(({ members }) => members.length === 3);
});

test("a team that runs on a custom store is shown at work", async () => {
  await using directory = await temporaryDirectory();
  const store = new MemoryTeamStore({ clock: systemClock });
  await using team = await Team.open({
    ...{ cwd: directory.path, model: "rehearsal", env: {}, store },
    place: teamPlace(directory.path),
  });
  await using room = roomOf(store);
  await using page = new Page(room);
  await page.shows(() => true);

  await team.prompt("Spawn alice (coder). Have alice say hello.");

  const shown = await page.shows(({ members }) => members.length === 2);
  expect(shown.members[1]).toMatchObject({ name: "alice" });
});
