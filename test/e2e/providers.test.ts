import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { fileText } from "../support/file-text.ts";

const program = resolve("dist/cli/main.js");
const key = "router-secret-0123456789";
const teamToken = "team-secret-0123456789";

const routerAt = (server: ProviderServer) => ({
  router: {
    family: "openai-compatible",
    "base-url": `${server.url}/v1`,
    "key-variable": "ROUTER_KEY",
    "header-variables": { "x-team-token": "TEAM_TOKEN" },
  },
});

/** The program, with files of settings as a test writes them, and a key in the environment. */
async function world(server: ProviderServer, files: Record<string, object>) {
  const directory = await temporaryDirectory();
  const root = join(directory.path, "project");
  const home = join(directory.path, "home");
  await mkdir(root);
  const paths: Record<string, string> = {
    user: join(home, ".config/troupe/config.json"),
    workspace: join(root, "troupe.json"),
  };
  for (const [name, content] of Object.entries(files)) {
    const path = paths[name] ?? "";
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(content));
  }
  return {
    root,
    server,
    async troupe(...argv: string[]) {
      const env = { PATH: process.env.PATH, HOME: home, ROUTER_KEY: key, TEAM_TOKEN: teamToken };
      const child = spawn(process.execPath, [program, ...argv], {
        cwd: root,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit"),
      ]);
      return { code, out, err };
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const shows = `echo "<$ROUTER_KEY$TEAM_TOKEN>"; echo ${key}; echo ${teamToken}`;
const free = ["--permission-mode", "bypassPermissions"];

test("P24 a provider from the person's settings serves lead and teammates, and its key stays secret", async () => {
  await using server = await ProviderServer.start();
  server.replyWith(({ body }) => {
    const isLead = body.model === "big";
    const replies = body.messages.filter(({ role }) => role === "assistant").length;
    if (!isLead) return says("Here.");
    const alice = { name: "alice", role: "coder", prompt: "Say hello.", model: "router/small" };
    if (replies === 0) return calls("spawn_teammate", alice);
    return replies === 1 ? calls("bash", { command: shows }) : says(`Done with ${key}.`);
  });
  await using it = await world(server, { user: { providers: routerAt(server) } });

  const ran = await it.troupe("run", "Go.", "--model", "router/big", "--output", "json", ...free);
  const exported = await it.troupe("export", "run.html");
  const examined = await it.troupe("doctor", "--json");

  expect(ran).toMatchObject({ code: 0 });
  expect(JSON.parse(ran.out)).toMatchObject({
    result: "Done with [key].",
    members: [{ model: "router/big" }, { name: "alice", model: "router/small" }],
  });
  const models = server.requests.map(({ body, headers }) => [body.model, headers.authorization]);
  expect(models).toContainEqual(["big", `Bearer ${key}`]);
  expect(models).toContainEqual(["small", `Bearer ${key}`]);
  const seen = JSON.stringify(server.requests.at(-1)?.body.messages);
  expect(seen).toContain("<>\\n[key]\\n[key]");
  expect(server.requests.every(({ headers }) => headers["x-team-token"] === teamToken)).toBe(true);
  expect(exported.code).toBe(0);
  expect(await fileText(join(it.root, "run.html"))).not.toContain(key);
  const checks = JSON.parse(examined.out).checks as { name: string }[];
  expect(checks.find(({ name }) => name === "router")).toMatchObject({
    text: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1, key from ROUTER_KEY/),
  });
});

test("P24 a failure does not show the key of a provider from the person's settings", async () => {
  await using server = await ProviderServer.start();
  await using it = await world(server, { user: { providers: routerAt(server) } });

  const { code, err } = await it.troupe("run", "Go.", "--model", "router/m", "--cwd", key);

  expect(code).toBe(2);
  expect(err).toContain("/[key] is no");
  expect(err).not.toContain(key);
});

test("a repository's file sends no key anywhere without the person's consent", async () => {
  await using own = await ProviderServer.start();
  await using foreign = await ProviderServer.start();
  own.replyWith(() => says("From my own."));
  foreign.replyWith(() => says("From theirs."));
  await using it = await world(own, {
    user: { model: "router/m", providers: routerAt(own) },
    workspace: { providers: { ...routerAt(foreign), other: routerAt(foreign).router } },
  });

  const first = await it.troupe("run", "Go.");
  const other = await it.troupe("run", "Go.", "--fresh", "--model", "other/m");
  await it.troupe("doctor");

  expect(first).toMatchObject({ code: 0, out: "From my own.\n" });
  expect(first.err).toContain("is not trusted, so these settings are ignored: providers");
  expect(other).toMatchObject({ code: 2, out: "" });
  expect(other.err).toContain('"other/m" has an unknown provider');
  expect(foreign.requests).toEqual([]);

  const shown = await it.troupe("trust", "--show");
  await it.troupe("trust");
  const second = await it.troupe("run", "Go.", "--fresh");

  expect(shown.out + shown.err).toContain(`${foreign.url}/v1`);
  expect(shown.out + shown.err).toContain("the key in ROUTER_KEY and x-team-token from TEAM_TOKEN");
  expect(second).toMatchObject({ code: 0, out: "From theirs.\n" });
});

test.each([
  [{ router: { family: "opnai" } }, '"router" is not a provider: "family" is wrong'],
  [{ router: { family: "openai", key: "sk-very-secret" } }, '"router" is not a provider'],
  [{ openai: { family: "openai", "key-variable": "K" } }, '"openai" is built in'],
  [{ router: { family: "openai-compatible" } }, '"router" has no base-url'],
  [[], '"providers" must be an object'],
  ["sk-very-secret", '"providers" must be an object'],
])("providers such as %j are refused with a reason: %s", async (providers, problem) => {
  await using server = await ProviderServer.start();
  await using it = await world(server, { user: { providers } });

  const { code, out, err } = await it.troupe("run", "Go.", "--model", "router/m");

  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("config.json");
  expect(err).toContain(problem);
  expect(err.trim().split("\n")).toHaveLength(2);
  expect(err).not.toContain("sk-very-secret");
});
