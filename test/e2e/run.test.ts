import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import { stall } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { followScript, providerEnvironment } from "../support/agent-on-wire.ts";
import { fileText } from "../support/file-text.ts";

/** The bundled program, as it is published. */
const program = resolve("dist/cli/main.js");

/**
 * So that commands that write need not be asked about; and without a sandbox, so that a command knows its pid as
 * it is for the test.
 */
const free = ["--permission-mode", "bypassPermissions", "--sandbox", "off"];

/** The program in a directory of its own, against a provider that follows `script`. */
async function world(...script: (() => ScriptedAnswer)[]) {
  const directory = await temporaryDirectory();
  const server = await ProviderServer.start({ strict: true });
  if (script.length > 0) followScript(server, script);
  const env = {
    PATH: process.env.PATH,
    HOME: directory.path,
    XDG_STATE_HOME: join(directory.path, "state"),
    TROUPE_MODEL: "anthropic/scripted",
    ...providerEnvironment(server),
  };
  return {
    root: directory.path,
    env,
    server,
    start: (...argv: string[]) =>
      spawn(process.execPath, [program, ...argv], {
        cwd: directory.path,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function finished(child: ChildProcess) {
  if (!child.stdout || !child.stderr) throw new Error("The child has no output");
  const [out, err, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code, signal, out, err };
}

test("a coding task from prompt to answer: read, change, check, over a real connection", async () => {
  await using it = await world(
    () => reply([calls("glob", { pattern: "*.js" }), calls("grep", { pattern: "add" })]),
    () => calls("read_file", { path: "sum.js" }),
    () => calls("edit_file", { path: "sum.js", old_text: "a - b", new_text: "a + b" }),
    () => calls("bash", { command: "node test.js" }),
    () => says("Fixed: add subtracted."),
  );
  await writeFile(join(it.root, "sum.js"), "exports.add = (a, b) => a - b;\n");
  await writeFile(
    join(it.root, "test.js"),
    'require("node:assert").equal(require("./sum.js").add(2, 3), 5);\nconsole.log("ok");\n',
  );

  const flags = ["--permission-mode", "acceptEdits", "--allow", "bash(node test.js)"];
  const result = await finished(it.start("-p", "The test fails. Fix it.", ...flags));

  expect(result).toMatchObject({ code: 0, out: "Fixed: add subtracted.\n" });
  expect(await readFile(join(it.root, "sum.js"), "utf8")).toContain("a + b");
  const last = JSON.stringify(it.server.requests.at(-1)?.body.messages.at(-1));
  expect(last).toContain('"content":"ok"');
  expect(it.server.refusals).toEqual([]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s in the middle of a command ends it, and the run can be continued",
  async (signal, code) => {
    await using it = await world(
      () => calls("bash", { command: "echo $$ > pid; exec sleep 1000" }),
      () => says("I was stopped, and went on."),
    );
    const child = it.start("run", "Sleep.", ...free);
    const ending = finished(child);
    const pid = await fileText(join(it.root, "pid"));

    child.kill(signal);

    expect(await ending).toMatchObject({ code, out: "" });
    expect(await isAlive(Number(pid))).toBe(false);
    const second = await finished(it.start("run", "Go on."));
    expect(second).toMatchObject({ code: 0, out: "I was stopped, and went on.\n" });
    expect(it.server.refusals).toEqual([]);
  },
);

test("P08 after kill -9 in the middle of a command the next start reports an unknown outcome, and ends what is left of it", async () => {
  const daemon = "bash -c 'echo $$ > daemon; exec sleep 1000' </dev/null >/dev/null 2>&1";
  const hide = process.platform === "linux" ? "env -i setsid -f" : "";
  await using it = await world(
    () =>
      calls("bash", {
        command: `${hide} ${daemon} & echo once >> runs; until [ -s daemon ]; do sleep 0.01; done; echo $$ > pid; exec sleep 1000`,
      }),
    () => says("I look first."),
  );
  const child = it.start("run", "Go.", ...free);
  const ending = finished(child);
  const pid = Number(await fileText(join(it.root, "pid")));

  child.kill("SIGKILL");
  await ending;

  const second = await finished(it.start("run", "And?", ...free));
  expect(second).toMatchObject({ code: 0, out: "I look first.\n" });
  const last = JSON.stringify(it.server.requests.at(-1)?.body.messages.at(-1));
  expect(last).toContain("Outcome unknown");
  expect(await readFile(join(it.root, "runs"), "utf8")).toBe("once\n");
  expect(await isAlive(pid)).toBe(false);
  expect(await isAlive(Number(await fileText(join(it.root, "daemon"))))).toBe(false);
  expect(second.err).toContain("2 processes were still running from lead's commands");
  expect(it.server.refusals).toEqual([]);
});

test("a second run in the same directory is refused, naming the process", async () => {
  await using it = await world();
  it.server.reply(stall(says("Done."), "nothing"));
  const first = it.start("run", "Wait.");
  const ending = finished(first);
  await it.server.until(() => it.server.stalled === 1);

  const second = await finished(it.start("run", "Me too."));

  expect(second).toMatchObject({ code: 2, out: "" });
  expect(second.err).toContain(String(first.pid));
  it.server.release();
  expect(await ending).toMatchObject({ code: 0, out: "Done.\n" });
});

test("P24 no file of the team and no output has the key, and no command sees it", async () => {
  await using it = await world(
    () => calls("bash", { command: "env | sort; cat .env" }),
    () => says("Seen."),
  );
  const key = providerEnvironment(it.server).ANTHROPIC_API_KEY ?? "";
  await writeFile(join(it.root, ".env"), `ANTHROPIC_API_KEY=${key}\n`);

  const result = await finished(it.start("run", `Is ${key} right?`, ...free));

  expect(result.out + result.err).not.toContain(key);
  const sent = it.server.requests.map(({ text }) => text).join("\n");
  expect(sent).toContain("ANTHROPIC_API_KEY=[key]");
  expect(sent).not.toContain(key);
  const grep = spawn("grep", ["-rlF", key, join(it.root, ".team")]);
  expect(await finished(grep)).toMatchObject({ code: 1, out: "" });
});

/** False also for one that has ended and is only not buried yet. */
async function isAlive(pid: number): Promise<boolean> {
  return (await systemProcesses.startOf(pid)) !== undefined;
}

test("SIGHUP, as from a closed terminal, ends the command too", async () => {
  await using it = await world(
    () => calls("bash", { command: "echo $$ > pid; exec sleep 1000" }),
    () => says("Gone on."),
  );
  const child = it.start("run", "Sleep.", ...free);
  const ending = finished(child);
  const pid = await fileText(join(it.root, "pid"));

  child.kill("SIGHUP");

  expect(await ending).toMatchObject({ code: 129 });
  expect(await isAlive(Number(pid))).toBe(false);
});

test("a second signal ends at once, and leaves no command behind", async () => {
  await using it = await world(() =>
    calls("bash", { command: "trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done" }),
  );
  const child = it.start("run", "Sleep.", ...free);
  const ending = finished(child);
  const pid = await fileText(join(it.root, "pid"));

  child.kill("SIGINT");
  child.kill("SIGINT");

  expect(await ending).toMatchObject({ code: 130 });
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});

test.each(["stdout", "stderr"] as const)(
  "a reader of %s that stops early does not break anything",
  async (name) => {
    await using it = await world(
      () => calls("background_run", { command: "echo $$ > pid; exec sleep 1000" }),
      () => calls("bash", { command: "until [ -s pid ]; do sleep 0.01; done" }),
      () => says("Done."),
    );
    const child = it.start("run", "Go.", "--background-wait", "0", ...free);
    child[name].destroy();

    const [code] = await once(child, "exit");

    expect(code).toBe(0);
    expect(await isAlive(Number(await fileText(join(it.root, "pid"))))).toBe(false);
  },
);

test("output that cannot be written is reported, and is a failure", async () => {
  await using it = await world(() => says("Done."));
  const shell = spawn("sh", ["-c", `"${process.execPath}" "${program}" run Go. > /dev/full`], {
    cwd: it.root,
    env: it.env,
    stdio: ["ignore", "pipe", "pipe"],
  });

  const { code, err } = await finished(shell);

  expect(code).toBe(1);
  expect(err).toContain("error: Cannot write the output: ENOSPC");
  expect(err).not.toMatch(/^\s+at /m);
});
