import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { Dashboard, findServed } from "../../src/server/dashboard.ts";
import type { DashboardEntrance } from "../../src/server/serve-dashboard.ts";
import type { TeamPlace } from "../../src/team/team-place.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamPlace } from "../support/team.ts";
import { type Answer, enter, headersOf, pageBelow, reachable, type Session, send } from "./door.ts";

interface Options extends Partial<TeamPlace> {
  port?: number | undefined;
  api?: Hono;
}

async function open(root: string, { port = 0, api, ...place }: Options = {}): Promise<Dashboard> {
  return openPlace(teamPlace(root, place), { port, api, page: await pageBelow(root) });
}

function openPlace(
  place: TeamPlace,
  { port, api, page }: { port: number | undefined; api: Hono | undefined; page: string },
): Promise<Dashboard> {
  const routes = api ?? reachable();
  const openApi = () => ({ routes, [Symbol.asyncDispose]: async () => {} });
  return Dashboard.open({
    ...{ location: place.directory, machine: place, port, pageDirectory: page, openApi },
    secrets: new Secrets([]),
  });
}

function find(place: TeamPlace, port?: number): Promise<DashboardEntrance | undefined> {
  return findServed(place.directory, { port, machine: place });
}

function look(
  { port }: Pick<DashboardEntrance, "port">,
  session: Session,
  path = "/api/look",
): Promise<Answer> {
  const headers = { host: `127.0.0.1:${port}`, ...headersOf(session, { path }) };
  return send({ port, method: "GET", path, headers });
}

test("its address admits one browser, and another process can create one, too", async () => {
  await using root = await temporaryDirectory();
  await using dashboard = await open(root.path);

  const address = dashboard.newAddress();
  const first = await enter(address);
  const found = await find(teamPlace(root.path));
  const second = await enter(found?.newAddress() ?? "");

  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w.]+$/);
  expect([first.status, second.status, (await enter(address)).status]).toEqual([200, 200, 401]);
  expect(await look(dashboard, first.session)).toMatchObject({ status: 200 });
  expect(found).toMatchObject({ port: dashboard.port, pid: process.pid });
});

test("each start has its own port and secret, and earlier sessions are invalid", async () => {
  await using root = await temporaryDirectory();
  const page = await pageBelow(root.path);
  const start = (port?: number) => openPlace(teamPlace(root.path), { port, api: undefined, page });
  const before = await start();
  const { session } = await enter(before.newAddress());
  const unused = before.newAddress();
  const [path = ""] = await filesBelow(join(root.path, "state"));
  const firstRecord = await readFile(path, "utf8");
  expect(await look(before, session)).toMatchObject({ status: 200 });
  await before[Symbol.asyncDispose]();
  const lastRecord = await readFile(path, "utf8");

  await using elsewhere = await start();
  await using same = await start(before.port);

  expect(elsewhere.port).not.toBe(before.port);
  expect([same.port, same.missedPort]).toEqual([before.port, undefined]);
  for (const after of [elsewhere, same]) {
    expect(await look(after, session)).toMatchObject({ status: 401 });
    const replayed = unused.replace(String(before.port), String(after.port));
    expect(await enter(replayed)).toMatchObject({ status: 401, isProven: false });
    expect(await enter(after.newAddress())).toMatchObject({ status: 200, isProven: true });
  }
  expect(firstRecord).toContain('"secret"');
  expect(lastRecord).not.toContain('"secret"');
});

test("dashboards of two teams, and two of one, do not accept each other's sessions", async () => {
  await using root = await temporaryDirectory();
  await using one = await open(root.path);
  await using twin = await open(root.path);
  await using other = await open(root.path, { directory: join(root.path, "other") });
  const { session } = await enter(one.newAddress());

  for (const stranger of [twin, other]) {
    expect(await look(stranger, session)).toMatchObject({ status: 401 });
    const address = one.newAddress().replace(String(one.port), String(stranger.port));
    expect(await enter(address)).toMatchObject({ status: 401 });
  }
  expect((await find(teamPlace(root.path)))?.port).toBe(twin.port);
  expect((await find(teamPlace(root.path), one.port))?.port).toBe(one.port);
});

test("a port that is in use is detected", async () => {
  await using root = await temporaryDirectory();
  await using first = await open(root.path);

  await using second = await open(root.path, { port: first.port });

  expect(second.missedPort).toBe(first.port);
  expect(second.port).not.toBe(first.port);
});

test("a dashboard that was closed, or whose process has ended, is not found", async () => {
  await using root = await temporaryDirectory();
  const place = teamPlace(root.path);
  const dashboard = await open(root.path);
  const ended = { ...systemProcesses, startOf: async () => undefined };
  const used = { ...systemProcesses, startOf: async () => "another time" };

  expect(await find({ ...place, processes: ended })).toBeUndefined();
  expect(await find({ ...place, processes: used })).toBeUndefined();
  expect(await find(place)).toBeDefined();
  await dashboard[Symbol.asyncDispose]();
  expect(await find(place)).toBeUndefined();
});

test("a live process that does not answer there does not count as a dashboard", async () => {
  await using root = await temporaryDirectory();
  const dashboard = await open(root.path);
  const [path = ""] = await filesBelow(join(root.path, "state"));
  const record = await readFile(path, "utf8");
  await dashboard[Symbol.asyncDispose]();

  await writeFile(path, record);

  expect(await find(teamPlace(root.path))).toBeUndefined();
});

test("a team directory is the same through any link", async () => {
  await using root = await temporaryDirectory();
  await symlink(root.path, join(root.path, "link"));
  await using dashboard = await open(root.path);

  const directory = join(root.path, "link/.team");

  expect(await find(teamPlace(root.path, { directory }))).toMatchObject({
    port: dashboard.port,
  });
});

test("the record has the secret and is private, and no token is in any file or warning", async () => {
  await using root = await temporaryDirectory();
  const told: string[] = [];
  await using dashboard = await open(root.path, { onWarning: (message) => told.push(message) });
  const address = dashboard.newAddress();
  const { session } = await enter(address);
  await enter(address);
  await look(dashboard, session);
  await look(dashboard, session, "/api/nothing");

  const files = await filesBelow(root.path);
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const [record = ""] = files.filter((file) => file.includes("/dashboards/"));
  const modes = await Promise.all([record, join(record, "..")].map((path) => stat(path)));

  const kept = [...texts, ...told].join("\n");
  const token = address.replace(/.*=/, "");
  for (const part of [...token.split("."), session.id, session.key]) {
    expect(kept).not.toContain(part);
  }
  expect(JSON.parse(await readFile(record, "utf8"))).toMatchObject({
    serving: [
      {
        port: dashboard.port,
        process: { pid: process.pid },
        secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ],
  });
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700]);
});

test("a damaged record is created again, and admits nobody", async () => {
  await using root = await temporaryDirectory();
  const before = await open(root.path);
  const { session } = await enter(before.newAddress());
  await before[Symbol.asyncDispose]();
  const [path = ""] = await filesBelow(join(root.path, "state"));
  await writeFile(path, '{"serving":""');

  await using after = await open(root.path, { port: before.port });

  expect(await look(after, session)).toMatchObject({ status: 401 });
  expect(await enter(after.newAddress())).toMatchObject({ status: 200 });
});

test("a directory in place of the record is reported with a hint", async () => {
  await using root = await temporaryDirectory();
  await (await open(root.path))[Symbol.asyncDispose]();
  const [path = ""] = await filesBelow(join(root.path, "state"));
  await rm(path);
  await mkdir(path);

  await expect(open(root.path)).rejects.toMatchObject({
    code: "dashboard-failed",
    message: expect.stringContaining(path),
    hint: expect.stringContaining("Move it away"),
  });
});

test("an address expires after an hour", async () => {
  await using root = await temporaryDirectory();
  const clock = new ManualClock();
  await using dashboard = await open(root.path, { clock });
  const address = dashboard.newAddress();

  clock.advance(60 * 60 * 1000);

  expect(await enter(address)).toMatchObject({ status: 401 });
});

test("an internal failure is reported once, and the dashboard continues", async () => {
  await using root = await temporaryDirectory();
  const told: string[] = [];
  await using dashboard = await open(root.path, { onWarning: (message) => told.push(message) });
  const { session } = await enter(dashboard.newAddress());

  const failing = [
    await look(dashboard, session, "/api/fail"),
    await look(dashboard, session, "/api/fail"),
  ];

  expect(failing.map(({ status }) => status)).toEqual([500, 500]);
  expect(told).toEqual(["The dashboard could not answer its page: It broke at /somewhere/private"]);
  expect(await look(dashboard, session)).toMatchObject({ status: 200 });
});

test("without a built page nothing is served, and that is reported", async () => {
  await using root = await temporaryDirectory();
  const page = join(root.path, "nowhere");
  const opening = openPlace(teamPlace(root.path), { port: 0, api: new Hono(), page });

  await expect(opening).rejects.toMatchObject({
    code: "dashboard-failed",
    hint: expect.stringContaining("npm run build"),
  });
  expect(await find(teamPlace(root.path))).toBeUndefined();
});

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
}
