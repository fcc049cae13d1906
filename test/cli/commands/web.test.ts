import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { Dashboards } from "../../../src/cli/command.ts";
import { TeamError } from "../../../src/errors.ts";
import { Secrets } from "../../../src/lib/secrets.ts";
import { Dashboard, findServed } from "../../../src/server/dashboard.ts";
import { ProviderServer } from "../../../src/testing/provider-server/provider-server.ts";
import { says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { enter, headersOf, pageBelow, reachable } from "../../server/door.ts";
import { providerEnvironment } from "../../support/agent-on-wire.ts";
import { teamPlace } from "../../support/team.ts";
import { noDashboards, noTerminal, troupeIn } from "../troupe.ts";

/** Dashboards of teams below `root`, on ports that nobody else has unless one is asked for. */
function dashboardsBelow(root: string): Dashboards {
  const routes = reachable();
  return {
    serve: async ({ teamDir, port = 0, onWarning }) =>
      Dashboard.open({
        ...{ location: teamDir, machine: teamPlace(root, { onWarning }) },
        port,
        pageDirectory: await pageBelow(root),
        secrets: new Secrets([]),
        openApi: () => ({ routes, [Symbol.asyncDispose]: async () => {} }),
      }),
    find: ({ teamDir, port }) => findServed(teamDir, { port, machine: teamPlace(root) }),
    export: noDashboards.export,
  };
}

/** Starts `troupe web`; `address` is what it prints, `end` is Ctrl-C. */
function start(root: string, ...argv: string[]) {
  const ending = new AbortController();
  let print: (line: string) => void;
  const address = new Promise<string>((resolve) => {
    print = resolve;
  });
  const ended = troupeIn(
    {
      root,
      env: {},
      signal: ending.signal,
      dashboards: dashboardsBelow(root),
      onOut: (line) => print(line),
    },
    "web",
    ...argv,
  );
  return {
    address,
    end: () => {
      ending.abort();
      return ended;
    },
  };
}

test("web prints only the address on standard output, and serves until Ctrl-C", async () => {
  await using root = await temporaryDirectory();
  const web = start(root.path);

  const address = await web.address;
  const page = await fetch(address);
  const { code, out, err } = await web.end();

  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Troupe")]);
  expect(out).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/)]);
  expect(err).toEqual([
    "Open this address within an hour; it works once, for one browser. Ctrl-C stops the dashboard.",
  ]);
  expect(code).toBe(0);
  await expect(fetch(address)).rejects.toThrow();
});

test("a second web prints a new address of the first one, and another port starts another", async () => {
  await using root = await temporaryDirectory();
  const first = start(root.path);
  const { port } = new URL(await first.address);

  const again = await start(root.path).end();
  const same = await start(root.path, "--port", port).end();
  const other = start(root.path, "--port", String(Number(port) + 1));
  const otherPort = new URL(await other.address).port;

  for (const { code, out, err } of [again, same]) {
    expect(code).toBe(0);
    expect(out.map((line) => new URL(line).port)).toEqual([port]);
    expect(err[0]).toContain(`Process ${process.pid} already serves the dashboard.`);
  }
  expect(again.out).not.toEqual([await first.address]);
  expect(otherPort).not.toBe(port);
  await other.end();
  await first.end();
});

test("if the port is in use, the next free one is used and reported", async () => {
  await using root = await temporaryDirectory();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const taken = typeof address === "object" ? address?.port : undefined;
  const web = start(root.path, "--port", String(taken));

  const { port } = new URL(await web.address);
  const { err } = await web.end();

  expect(Number(port)).not.toBe(taken);
  expect(err[0]).toBe(`Port ${taken} is in use; the dashboard is on port ${port}.`);
  other.close();
});

test.each(["0", "65536", "-1", "4747.5", "http", " "])("--port %j is wrong usage", async (port) => {
  await using root = await temporaryDirectory();

  const { code, out, err } = await start(root.path, `--port=${port}`).end();

  expect([code, out]).toEqual([2, []]);
  expect(err[0]).toMatch(/--port is .*but must be a whole number from 1 to 65535/);
});

const model = ["--model", "anthropic/claude-haiku-4-5"];

test("run --web serves during the run, prints no token, and ends with it", async () => {
  await using root = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  const env = providerEnvironment(server);
  const below = dashboardsBelow(root.path);
  const pages: number[] = [];
  const serve: Dashboards["serve"] = async (settings) => {
    const dashboard = await below.serve(settings);
    pages.push((await fetch(dashboard.address)).status);
    return dashboard;
  };
  server.reply(says("Done."));

  const { code, out, err } = await troupeIn(
    { root: root.path, env, dashboards: { ...below, serve } },
    ...["run", "Work.", "--web", ...model],
  );

  expect([code, out]).toEqual([0, ["Done."]]);
  expect(err[0]).toMatch(
    /^The dashboard is at http:\/\/127\.0\.0\.1:\d+\/ \(`troupe web` prints the address to open\)\.$/,
  );
  expect(err.join("\n")).not.toContain("token");
  expect(pages).toEqual([200]);
  expect(await below.find({ teamDir: join(root.path, ".team"), port: undefined })).toBeUndefined();
});

test("troupe --web serves during the talk, also after a new team is started", async () => {
  await using root = await temporaryDirectory();
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  input.end("/new\n/new\n");
  const dashboards = dashboardsBelow(root.path);
  const terminal = { ...noTerminal, input };

  const { code, err } = await troupeIn(
    { root: root.path, env: {}, terminal, dashboards },
    ...["--model", "rehearsal", "--web"],
  );

  expect(code).toBe(0);
  expect(err.filter((line) => line.startsWith("The dashboard is at "))).not.toEqual([]);
  expect(
    await dashboards.find({ teamDir: join(root.path, ".team"), port: undefined }),
  ).toBeUndefined();
});

test("a running dashboard is not served twice, and its directory is named", async () => {
  await using root = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Done."));
  const web = start(root.path, "--team-dir", "other");
  const { origin } = new URL(await web.address);
  const world = { root: root.path, env: providerEnvironment(server) };
  const directory = join(root.path, "other");

  const { code, err } = await troupeIn(
    { ...world, dashboards: { ...dashboardsBelow(root.path), serve: noDashboards.serve } },
    ...["run", "Work.", "--web", "--team-dir", directory, ...model],
  );

  expect(code).toBe(0);
  expect(err[0]).toContain(`${origin}/ (\`troupe web --team-dir ${directory}\` prints`);
  await web.end();
});

test("if the dashboard cannot be served, that is reported and the run continues", async () => {
  await using root = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Done."));
  const failing: Dashboards = {
    export: noDashboards.export,
    find: async () => undefined,
    serve: () =>
      Promise.reject(
        new TeamError("dashboard-failed", "The page is missing", { hint: "Build it." }),
      ),
  };

  const { code, out, err } = await troupeIn(
    { root: root.path, env: providerEnvironment(server), dashboards: failing },
    ...["run", "Work.", "--web", ...model],
  );

  expect([code, out]).toEqual([0, ["Done."]]);
  expect(err[0]).toBe(
    "warning: The dashboard could not be started: The page is missing. Build it.",
  );
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("the program waits for a team, and serves until %s", async (signal, exitCode) => {
  await using root = await temporaryDirectory();
  const web = await startProgram({
    teamDir: join(root.path, canary, ".team"),
    env: { XDG_STATE_HOME: root.path, ANTHROPIC_API_KEY: canary },
  });

  const page = await fetch(web.origin);
  const state = await web.state();
  const code = await web.end(signal);

  expect([page.status, code]).toEqual([200, exitCode]);
  expect(state).toContain("event: state");
  expect(state).toContain(`${root.path}/[key]/.team`);
  expect(state).not.toContain(canary);
  expect(await web.told).not.toContain("token=");
});

test("the key of a provider that the settings define is masked; control: another variable is not", async () => {
  await using root = await temporaryDirectory();
  const router = { family: "openai-compatible", "base-url": "http://127.0.0.1:9/v1" };
  const providers = { router: { ...router, "key-variable": "ROUTER_KEY" } };
  await mkdir(join(root.path, "troupe"));
  await writeFile(join(root.path, "troupe", "config.json"), JSON.stringify({ providers }));
  const places = { XDG_STATE_HOME: root.path, XDG_CONFIG_HOME: root.path };
  const teamDir = join(root.path, canary, ".team");

  const states: string[] = [];
  for (const variable of ["ROUTER_KEY", "OTHER_KEY"]) {
    const web = await startProgram({ teamDir, env: { ...places, [variable]: canary } });
    states.push(await web.state());
    await web.end("SIGINT");
  }

  expect(states[0]).toContain(`${root.path}/[key]/.team`);
  expect(states[0]).not.toContain(canary);
  expect(states[1]).toContain(teamDir);
});

const canary = "sk-ant-canary-4f8Gq2Lw9ZkT";

/** Starts `troupe web` as a program of its own, and has a browser enter it. */
async function startProgram({ teamDir, env }: { teamDir: string; env: NodeJS.ProcessEnv }) {
  const argv = ["--import", "tsx", "src/cli/main.ts", "web", "--team-dir", teamDir];
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const told = text(child.stderr);
  const printed = once(createInterface({ input: child.stdout }), "line");
  const [address] = await Promise.race([printed, told.then((reason) => expect.fail(reason))]);
  const { origin } = new URL(String(address));
  const { session } = await enter(String(address));
  return {
    ...{ origin, told },
    /** The beginning of what the page is shown. */
    async state() {
      const headers = headersOf(session, { path: "/api/stream" });
      return beginningOf(await fetch(`${origin}/api/stream`, { headers }));
    },
    async end(signal: NodeJS.Signals): Promise<unknown> {
      child.kill(signal);
      return (await once(child, "exit"))[0];
    },
  };
}

async function beginningOf({ body }: Response): Promise<string> {
  let received = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += chunk;
    if (received.includes("\n\n")) break;
  }
  return received;
}
