import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { followScript, providerEnvironment } from "../support/agent-on-wire.ts";
import { fileText } from "../support/file-text.ts";

/** The bundled program, as it is published. */
const program = resolve("dist/cli/main.js");
const free = ["--permission-mode", "bypassPermissions", "--sandbox", "off"];

const run = (command: string) => () => calls("bash", { command });
const group = (command: string, matcher = "") => [
  { matcher, hooks: [{ type: "command", command }] },
];

/** The program with hooks in the person's settings, or in those of the repository. */
async function world(
  files: { person?: object; repository?: object },
  script: (() => ScriptedAnswer)[],
) {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const server = await ProviderServer.start({ strict: true });
  followScript(server, script);
  const settings = join(root, "home", ".config", "troupe");
  await mkdir(settings, { recursive: true });
  await mkdir(join(root, "work"));
  if (files.person) await writeFile(join(settings, "config.json"), JSON.stringify(files.person));
  if (files.repository) {
    await writeFile(join(root, "work", "troupe.json"), JSON.stringify(files.repository));
  }
  const env = {
    ...{ PATH: process.env.PATH, HOME: join(root, "home"), TROUPE_MODEL: "anthropic/scripted" },
    ...providerEnvironment(server),
  };
  const start = (...argv: string[]) =>
    spawn(process.execPath, [program, ...argv], {
      ...{ cwd: join(root, "work"), env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    work: join(root, "work"),
    settings: join(settings, "config.json"),
    server,
    start,
    troupe: (...argv: string[]) => finished(start(...argv)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function finished(child: ChildProcess) {
  if (!child.stdout || !child.stderr) throw new Error("The child has no output");
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { out, err, code };
}

test("a hook of the person refuses a command, and it is told on standard error", async () => {
  const check = `jq -r .tool_input.command | grep -q 'rm ' && { echo 'Use trash.' >&2; exit 2; }; exit 0`;
  await using it = await world({ person: { hooks: { PreToolUse: group(check, "Bash") } } }, [
    run("rm notes.txt"),
    () => says("It is not allowed."),
  ]);
  await writeFile(join(it.work, "notes.txt"), "kept");

  const { err, code } = await it.troupe("run", "Remove the notes", ...free);
  const listed = await it.troupe("hooks");

  expect(code).toBe(0);
  expect(err).toMatch(/hook PreToolUse \(jq .*\) refuses: Use trash\./);
  expect(existsSync(join(it.work, "notes.txt"))).toBe(true);
  expect(listed.out).toContain(it.settings);
  expect(listed.out).toContain("PreToolUse (Bash): jq");
});

test("P30 hooks of troupe.json run once the person trusts the file, and not before", async () => {
  const repository = { hooks: { UserPromptSubmit: group("touch hooked") } };
  await using it = await world({ repository }, [() => says("Done."), () => says("Done.")]);
  const hooked = join(it.work, "hooked");

  const { err } = await it.troupe("run", "Go", ...free);
  expect(err).toContain("hooks");
  expect(existsSync(hooked)).toBe(false);
  expect((await it.troupe("hooks")).out).toContain("not in force: the file is not trusted");

  expect((await it.troupe("trust")).out).toContain("hooks: UserPromptSubmit: touch hooked");
  await it.troupe("run", "Go", ...free);
  expect(existsSync(hooked)).toBe(true);
});

test("hooks that are malformed are an error with the path of the field, and nothing is started", async () => {
  const person = { hooks: { Stop: [{ hooks: [{ type: "command", command: "x", timeout: -1 }] }] } };
  await using it = await world({ person }, []);

  const { err, code } = await it.troupe("run", "Go", ...free);

  expect(code).toBe(2);
  expect(err).toContain(`"hooks": Stop[0].hooks[0].timeout must be a number of seconds`);
});

test("what Troupe does not have is named at the start, and the rest is in force", async () => {
  const person = {
    hooks: {
      Stop: [{ hooks: [{ type: "prompt", prompt: "Fine?" }] }],
      UserPromptSubmit: group("touch hooked"),
    },
  };
  await using it = await world({ person }, [() => says("Done.")]);

  const { err } = await it.troupe("run", "Go", ...free);
  const listed: unknown = JSON.parse((await it.troupe("hooks", "--json")).out);

  expect(err).toMatch(/1 part of the hooks .* is not in force, such as Stop\[0\]\.hooks\[0\]/);
  expect(existsSync(join(it.work, "hooked"))).toBe(true);
  expect(listed).toMatchObject({
    hooks: [
      { event: "UserPromptSubmit", command: "touch hooked", timeout: 60, in_force: true },
      { event: null, in_force: false, reason: expect.stringContaining('"prompt"') },
    ],
  });
});

test("a hook that was cut short by kill -9 is ended at the next start, and no hook runs again for a call that has a result", async () => {
  // The second call's hook hangs the first time.
  const slow = `jq -r .tool_use_id >>ids; [ $(wc -l <ids) = 2 ] || exit 0; echo $$ >pid; exec sleep 98762`;
  const hooks = { PreToolUse: group(slow), PostToolUse: group("jq -r .tool_use_id >>done") };
  await using it = await world({ person: { hooks } }, [
    run("echo one >>effects"),
    run("echo two >>effects"),
    () => says("Done."),
  ]);
  const child = it.start("run", "Go", ...free);
  child.stdout?.resume();
  child.stderr?.resume();
  const pid = Number(await fileText(join(it.work, "pid")));

  child.kill("SIGKILL");
  await once(child, "exit");
  // The control: nothing else ends it.
  expect(await systemProcesses.startOf(pid)).toBeDefined();
  const { code, out } = await it.troupe("run", "Go on", ...free);

  expect({ code, out }).toMatchObject({ code: 0, out: "Done.\n" });
  expect(await systemProcesses.startOf(pid)).toBeUndefined();
  const ids = (await readFile(join(it.work, "ids"), "utf8")).trim().split("\n");
  const [first, second] = ids;
  expect(ids).toEqual([first, second, second]);
  expect((await readFile(join(it.work, "done"), "utf8")).trim().split("\n")).toEqual([
    first,
    second,
  ]);
  expect(await readFile(join(it.work, "effects"), "utf8")).toBe("one\ntwo\n");
});
