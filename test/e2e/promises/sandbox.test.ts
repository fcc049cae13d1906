import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TeamOptions } from "../../../src/team/team-options.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { noSandbox } from "../../support/no-sandbox.ts";
import { TeamOnWire } from "../../support/team-on-wire.ts";
import { nextQuestion, resultsIn, spawns } from "./scenes.ts";

const required: Partial<TeamOptions> = { sandbox: { mode: "required" }, mode: "acceptEdits" };

/** What the proxy of the sandbox answers to a request to an address that it never connects to. */
const reach = String.raw`exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://10.0.0.1/ HTTP/1.0\r\n\r\n' >&3 && cat <&3`;

test.skipIf(noSandbox)(
  "a host that the list does not have is a question to the person, and to be had once the person says yes",
  async () => {
    await using wire = await TeamOnWire.start({
      lead: [spawns("alice"), says("Done.")],
      alice: [calls("bash", { command: reach }), calls("bash", { command: reach }), says("Done.")],
    });
    const sandbox = { mode: "required", network: ["allowed.example"] } as const;
    const team = await wire.open({ ...required, sandbox });
    const asked = nextQuestion(team, "permission");
    await team.prompt("Work.");
    const id = await asked;

    const [question] = await team.openRequests();
    expect(question).toMatchObject({ from: "alice", subject: { host: "10.0.0.1:80" } });
    expect(question).not.toHaveProperty("subject.rule");
    await team.answer(id, { decision: "allow-once" });
    await team.quiet();

    // It is tried now, and the second command does not ask again.
    for (const result of resultsIn(wire.requestsOf("alice").at(-1))) {
      expect(result).toMatchObject({ text: expect.stringMatching(/address of this machine/) });
    }
    expect(await team.requests()).toHaveLength(1);
    expect(await wire.stored("inbox", "lead.jsonl")).toMatch(
      /"type":"sandbox_permission_request"[^\n]*"host":"10\.0\.0\.1:80"/,
    );
  },
);

test.skipIf(noSandbox)("where nobody is there to be asked, a host is refused at once", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: reach }), says("Done.")],
  });
  const sandbox = { mode: "required", network: ["allowed.example"] } as const;
  const team = await wire.open({ ...required, sandbox, approvals: "deny" });
  await team.prompt("Work.");
  await team.quiet();

  expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([
    { text: expect.stringMatching(/refused to connect to 10\.0\.0\.1:80/) },
  ]);
  expect(await team.requests()).toEqual([]);
});

/** A command that no judge could call harmless. */
const writeInside = `node -e 'require("node:fs").writeFileSync("inside.txt", "x")'`;

test.skipIf(noSandbox)(
  "P29 in acceptEdits a command in the sandbox runs without a question, and changes only the workspace",
  async () => {
    await using outside = await temporaryDirectory();
    const target = join(outside.path, "target");
    await using wire = await TeamOnWire.start({
      lead: [
        calls("bash", { command: writeInside }),
        calls("bash", { command: `touch ${target} || echo refused` }),
        says("Done."),
      ],
    });
    const team = await wire.open(required);
    await team.prompt("Work.");
    await team.quiet();

    expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([
      { isError: false },
      { text: expect.stringMatching(/refused$/) },
    ]);
    expect(await readFile(join(wire.root, "inside.txt"), "utf8")).toBe("x");
    expect(existsSync(target)).toBe(false);
    expect(await team.requests()).toEqual([]);
  },
);

test.skipIf(noSandbox)(
  "P29 leaving the sandbox is the person's answer to exactly that call, whatever rules and mode allow",
  async () => {
    await using outside = await temporaryDirectory();
    const target = join(outside.path, "target");
    const leaving = { command: `touch ${target}`, unsandboxed: true, reason: "it is needed there" };
    await using wire = await TeamOnWire.start({
      lead: [calls("bash", leaving), calls("bash", leaving), says("Done.")],
    });
    const team = await wire.open({ ...required, mode: "bypassPermissions", allow: ["bash"] });
    const asked = nextQuestion(team, "permission");
    await team.prompt("Work.");
    const id = await asked;
    const [question] = await team.openRequests();
    expect(question).toMatchObject({ subject: { reason: expect.stringMatching(/needed there/) } });
    expect(question).not.toHaveProperty("subject.rule");
    expect(existsSync(target)).toBe(false);

    const again = nextQuestion(team, "permission");
    await team.answer(id, { decision: "allow-once" });
    const second = await again;
    expect(existsSync(target)).toBe(true);
    await team.answer(second, { decision: "deny", reason: "once is enough" });
    await team.quiet();

    const [first, last] = resultsIn(wire.requestsOf("lead").at(-1));
    expect(first).toMatchObject({ isError: false });
    expect(last).toMatchObject({ isError: true, text: expect.stringMatching(/once is enough/) });
  },
);

test.skipIf(noSandbox)(
  "P29 where nobody is there to be asked, no command leaves the sandbox",
  async () => {
    await using outside = await temporaryDirectory();
    const target = join(outside.path, "target");
    await using wire = await TeamOnWire.start({
      lead: [calls("bash", { command: `touch ${target}`, unsandboxed: true }), says("Done.")],
    });
    const team = await wire.open({ ...required, approvals: "deny", allow: ["bash"] });
    await team.prompt("Work.");
    await team.quiet();

    expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([{ isError: true }]);
    expect(existsSync(target)).toBe(false);
  },
);

const calculate = `node -e 'console.log(6 * 7)'`;
const writeElsewhere = `node -e 'require("node:fs").writeFileSync("written.txt", "x")'`;

test.skipIf(noSandbox)(
  "in default, what can do without changing anything runs unasked, and the person is asked only about what cannot",
  async () => {
    await using wire = await TeamOnWire.start({
      lead: [
        calls("bash", { command: calculate }),
        calls("bash", { command: writeElsewhere }),
        says("Done."),
      ],
    });
    const team = await wire.open({ sandbox: { mode: "required" }, mode: "default" });
    const asked = nextQuestion(team, "permission");
    await team.prompt("Work.");
    const id = await asked;

    const [question] = await team.openRequests();
    expect(question).toMatchObject({ subject: { input: { command: writeElsewhere } } });
    expect(existsSync(join(wire.root, "written.txt"))).toBe(false);
    await team.answer(id, { decision: "allow-once" });
    await team.quiet();

    const [first, second] = resultsIn(wire.requestsOf("lead").at(-1));
    expect(first).toMatchObject({ isError: false, text: expect.stringMatching(/^42\n\(It ran/) });
    expect(second).toMatchObject({ isError: false });
    expect(await readFile(join(wire.root, "written.txt"), "utf8")).toBe("x");
    expect(await team.requests()).toHaveLength(1);
  },
);

test.skipIf(noSandbox)(
  "while planning, a command is tried, and refused if it must change something",
  async () => {
    await using wire = await TeamOnWire.start({
      lead: [
        calls("bash", { command: calculate }),
        calls("bash", { command: writeElsewhere }),
        says("Done."),
      ],
    });
    const team = await wire.open({ sandbox: { mode: "required" }, mode: "plan" });
    await team.prompt("Work.");
    await team.quiet();

    expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([
      { isError: false, text: expect.stringMatching(/^42\n/) },
      { isError: true, text: expect.stringMatching(/nothing is changed while planning/) },
    ]);
    expect(existsSync(join(wire.root, "written.txt"))).toBe(false);
    expect(await team.requests()).toEqual([]);
  },
);

/** A place in the PATH whose bubblewrap cannot confine anything, as where namespaces are forbidden. */
async function brokenBubblewrap(directory: string, script: string): Promise<string> {
  const programs = join(directory, "programs");
  await mkdir(programs);
  await writeFile(join(programs, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${programs}:${process.env.PATH}`;
}

const refusesNamespaces = `[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit 0; }
echo "bwrap: Creating new namespace failed: No space left on device" >&2; exit 1`;

test("P29 where no sandbox works, a team that requires one does not start", async () => {
  await using elsewhere = await temporaryDirectory();
  await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
  const PATH = await brokenBubblewrap(elsewhere.path, refusesNamespaces);

  const opening = wire.open({ ...required, env: { ...wire.environment, PATH } });

  await expect(opening).rejects.toMatchObject({
    code: "sandbox-missing",
    message: expect.stringContaining("Creating new namespace failed"),
    hint: expect.stringContaining("user namespaces"),
  });
});

test("with auto, a team without a sandbox warns once, and asks as without one", async () => {
  await using elsewhere = await temporaryDirectory();
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: writeInside }), says("Done.")],
  });
  const PATH = await brokenBubblewrap(elsewhere.path, refusesNamespaces);
  const sandbox = { mode: "auto" } as const;
  const env = { ...wire.environment, PATH };
  const team = await wire.open({ sandbox, mode: "acceptEdits", approvals: "deny", env });
  await team.prompt("Work.");
  await team.quiet();

  expect(wire.warnings.filter((text) => text.includes("run as you"))).toHaveLength(1);
  expect(existsSync(join(wire.root, "inside.txt"))).toBe(false);
  expect(await team.requests()).toMatchObject([{ state: "expired" }]);
});

test.each(["auto", "required"] as const)(
  "with %s, the sandbox is tried at the start only where one is required",
  async (mode) => {
    await using elsewhere = await temporaryDirectory();
    const tried = join(elsewhere.path, "tried");
    await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
    const PATH = await brokenBubblewrap(elsewhere.path, `: > ${tried}; exit 1`);

    const opening = wire.open({ sandbox: { mode }, env: { ...wire.environment, PATH } });

    if (mode === "required")
      await expect(opening).rejects.toMatchObject({ code: "sandbox-missing" });
    else await opening;
    expect(existsSync(tried)).toBe(mode === "required");
  },
);

test.skipIf(noSandbox)(
  "P29 a command whose sandbox stops working is not run, and says so",
  async () => {
    await using elsewhere = await temporaryDirectory();
    await using wire = await TeamOnWire.start({
      lead: [calls("bash", { command: "touch ran.txt" }), says("Done.")],
    });
    // It works for the trial at the start, and not for the command.
    const fails = `case "$*" in *ran.txt*) echo "bwrap: out of order" >&2; exit 1; esac
exec /usr/bin/bwrap "$@"`;
    const PATH = await brokenBubblewrap(elsewhere.path, fails);
    const team = await wire.open({ ...required, env: { ...wire.environment, PATH } });
    await team.prompt("Work.");
    await team.quiet();

    expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([
      {
        isError: true,
        text: expect.stringMatching(
          /^Error: The sandbox could not be started: bwrap: out of order\nNothing of the command ran/,
        ),
      },
    ]);
    expect(existsSync(join(wire.root, "ran.txt"))).toBe(false);
  },
);

test.each(["the workspace", "a directory that commands may write"])(
  "P29 a bubblewrap in %s is not used",
  async (where) => {
    await using elsewhere = await temporaryDirectory();
    await using wire = await TeamOnWire.start({ lead: [says("Done.")] });
    const isOutside = where !== "the workspace";
    const PATH = await brokenBubblewrap(isOutside ? elsewhere.path : wire.root, "exit 0");
    const sandbox = { mode: "required", ...(isOutside && { write: [elsewhere.path] }) } as const;
    const env = { ...wire.environment, PATH: PATH.split(":")[0] };

    const opening = wire.open({ ...required, sandbox, env });

    await expect(opening).rejects.toMatchObject({
      code: "sandbox-missing",
      message: "bubblewrap is not installed",
    });
  },
);

test.skipIf(noSandbox)(
  "P30 the network of a role is what its member's commands reach in the sandbox, and no other member's",
  async () => {
    const looks = calls("bash", { command: `(${reach}) 2>&1 || true` });
    await using wire = await TeamOnWire.start({
      lead: [says("Noted.")],
      alice: [looks, says("Done.")],
      bob: [looks, says("Done.")],
    });
    const role = { name: "connected", description: "Has a host", prompt: "" };
    const team = await wire.open({
      ...required,
      approvals: { unattended: () => "nobody is there" },
      roles: [{ ...role, network: ["allowed.example"] }],
    });

    await team.spawn({ name: "alice", agent: "connected", prompt: "Look." });
    await team.spawn({ name: "bob", role: "coder", prompt: "Look." });
    const alice = await wire.requested("alice", 2);
    const bob = await wire.requested("bob", 2);

    expect(JSON.stringify(alice?.body)).toContain("reach only these hosts: allowed.example");
    expect(JSON.stringify(bob?.body)).toContain("and have no network");
    // Alice has a proxy that refuses the host; bob has none.
    const textOf = (name: string) => resultsIn(wire.requestsOf(name).at(-1))[0]?.text;
    expect(textOf("alice")).toContain("HTTP/1.1 403");
    expect(textOf("bob")).toContain("refused");
    expect(textOf("bob")).not.toContain("HTTP/1.1");
  },
);
