import { spawnSync } from "node:child_process";
import { readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { markedCommand } from "../../src/processes/marked-command.ts";
import { newMarker } from "../../src/processes/marker.ts";
import { testCommandRunner } from "../../src/testing/conformance/command-runner.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { onWord, openShell, plainEnvironment } from "./shell-fixture.ts";

test("output and errors arrive in the order in which they were written", async () => {
  await using fixture = await openShell();

  const { output, exitCode } = await fixture.run(
    "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 7",
  );

  expect(output).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
  expect(exitCode).toBe(7);
});

test("/dev/stdout and /dev/stderr can be written to by name", async () => {
  await using fixture = await openShell();

  const { output } = await fixture.run("echo a >/dev/stderr; echo b | tee /dev/stderr");

  expect(output).toBe("a\nb\nb\n");
});

test("each command starts in the working directory, with nothing left from the previous one", async () => {
  await using fixture = await openShell();
  await fixture.run("cd /; export LEFT=behind; shopt -s extglob");

  const { output } = await fixture.run('pwd; echo "[$LEFT]"; shopt -q login_shell; echo $?');

  expect(output).toBe(`${await realpath(fixture.directory)}\n[]\n1\n`);
});

test("a command is the shell itself, and does not see its marker", async () => {
  await using fixture = await openShell();
  const environment = {
    ...plainEnvironment(),
    BASH_ENV: `${fixture.directory}/env.sh`,
    SHELLOPTS: "errexit:pipefail",
    "BASH_FUNC_ulimit%%": "() { echo not the builtin; }",
    "BASH_FUNC_export%%": "() { echo not the builtin; }",
    "npm_config_@scope:registry": "kept",
  };
  await writeFile(environment.BASH_ENV, "echo read once\n");
  await using odd = await openShell({ environment, cwd: fixture.directory });

  const { output } = await odd.run(
    'echo "$0 $# $SHLVL $BASH_ENV"; env | grep registry; shopt -qo pipefail; echo $?',
  );
  const broken = await fixture.run("echo )");

  expect(output).toBe(
    `read once\nbash 0 1 ${environment.BASH_ENV}\nnpm_config_@scope:registry=kept\n0\n`,
  );
  expect(broken.output).toMatch(/^bash: -c: line 1: .*\nbash: -c: line 1: `echo \)'\n$/);
});

test("a command is marked by the chosen bash, not by the first one in PATH", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(`${directory.path}/bash`, "#!/bin/sh\necho the wrong one\n", { mode: 0o755 });
  const { argv, environment } = markedCommand({
    shell: "/bin/bash",
    argv: ["/bin/bash", "-c", "echo the right one"],
    name: "bash",
    environment: { PATH: `${directory.path}:${process.env.PATH}` },
    marker: newMarker({ team: directory.path, member: "alice" }),
  });

  const { stdout } = spawnSync("/bin/bash", argv, { argv0: "bash", env: environment });

  expect(String(stdout)).toBe("the right one\n");
});

test.runIf(process.platform === "linux")(
  "a program gets no descriptor behind its last one, whatever Troupe was started with",
  async () => {
    await using directory = await temporaryDirectory();
    const { argv, environment } = markedCommand({
      shell: "/bin/bash",
      argv: [
        "/bin/bash",
        "-c",
        "for it in 3 4 5 6 12; do [[ ! -e /proc/$$/fd/$it ]] || echo $it; done",
      ],
      ...{ name: "bash", environment: plainEnvironment(), lastDescriptor: 4 },
      marker: newMarker({ team: directory.path, member: "alice" }),
    });

    const { stdout } = spawnSync("/bin/bash", argv, {
      ...{ argv0: "bash", env: environment },
      stdio: ["ignore", "pipe", "inherit", ...Array<"pipe">(10).fill("pipe")],
    });

    expect(String(stdout)).toBe("3\n4\n");
  },
);

test("standard input is empty and there is no terminal", async () => {
  await using fixture = await openShell();

  const { output } = await fixture.run("cat; (: </dev/tty) 2>/dev/null || echo no terminal");

  expect(output).toBe("no terminal\n");
});

test("the signal that ended the shell is reported", async () => {
  await using fixture = await openShell();

  expect(await fixture.run("kill -SEGV $$")).toMatchObject({
    ending: "exited",
    exitCode: null,
    signal: "SIGSEGV",
  });
});

test("characters stay whole if their bytes arrive separately, and invalid bytes are replaced", async () => {
  await using fixture = await openShell();
  const seen: string[] = [];

  const { output } = await fixture.run(
    String.raw`printf '\xe2'; sleep 0.05; printf '\x82\xac'; printf '\xff'; printf '\xe2\x82'`,
    { onOutput: (text) => seen.push(text) },
  );

  expect(output).toBe("€\ufffd\ufffd");
  expect(seen.join("")).toBe(output);
});

test("output can be watched while the command runs", async () => {
  await using fixture = await openShell();
  const stop = new AbortController();

  const end = await fixture.run("echo ready; sleep 1000", {
    signal: stop.signal,
    onOutput: onWord("ready", () => stop.abort()),
  });

  expect(end).toMatchObject({ ending: "aborted", output: "ready\n" });
});

test("a command that is interrupted before its start does nothing", async () => {
  await using fixture = await openShell();

  const end = fixture.run("touch started", { signal: AbortSignal.abort() });

  await expect(end).rejects.toThrow("interrupted");
  expect(await readdir(fixture.directory)).not.toContain("started");
});

test("a shell's helper process that is about to finish may finish", async () => {
  await using fixture = await openShell();

  const { output, leftovers } = await fixture.run("seq 3 > >(cat)");

  expect(output).toBe("1\n2\n3\n");
  expect(leftovers).toBe(0);
});

test("long output has its head and tail, and the whole is in the named file", async () => {
  await using fixture = await openShell();

  const { output } = await fixture.run("seq 100000");

  const whole = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
  const [, leftOut, path = ""] =
    /… (\d+) characters left out of 100000 lines; the whole is in (\S+) …/.exec(output) ?? [];
  expect(output.length).toBeLessThanOrEqual(50_000);
  expect(output.startsWith("1\n2\n")).toBe(true);
  expect(output.endsWith("\n100000\n")).toBe(true);
  expect(Number(leftOut)).toBe(whole.length - 49_000);
  expect(await readFile(path, "utf8")).toBe(whole);
});

test("watched output is limited, and says so once", async () => {
  await using fixture = await openShell();
  let seen = "";

  await fixture.run("seq 100000", {
    onOutput: (text) => {
      seen += text;
    },
  });

  expect(seen.length).toBeLessThan(50_100);
  expect(seen.match(/…/g)).toHaveLength(1);
});

test("no pipes are left, neither with the outputs nor where they are created", async () => {
  await using temporary = await temporaryDirectory();
  const environment = { ...plainEnvironment(), TMPDIR: temporary.path };
  await using fixture = await openShell({ environment });

  await Promise.all(Array.from({ length: 20 }, () => fixture.run("echo hi")));

  expect(await readdir(fixture.directory, { recursive: true })).toEqual(["pipes"]);
  expect(await readdir(temporary.path)).toEqual([]);
});

test("control: that is where pipes are created", async () => {
  await using fixture = await openShell();
  await writeFile(join(fixture.directory, "pipes"), "");

  await expect(fixture.run("echo hi")).rejects.toThrow(/\/pipes.*state directory/);
});

testCommandRunner("HostCommandRunner", async () => {
  const { runner, directory, ...fixture } = await openShell();
  return {
    runner,
    directory: await realpath(directory),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
});
