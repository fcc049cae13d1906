import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commandEnvironment } from "../../src/permissions/command-environment.ts";
import { judgeLine, project } from "./judge-lines.ts";

const run = promisify(execFile);

/** Each makes a line that is judged harmless say `evil`, or read another file than it names. */
const leading: readonly (readonly [name: string, value: string, line: string])[] = [
  ["BASH_ENV", "./evil.sh", "ls"],
  ["SHELLOPTS", "noexec", "echo harmless"],
  ["BASHOPTS", "failglob", "echo nothing*; echo harmless"],
  ["CDPATH", "..", "cd outside; ls"],
  ["POSIXLY_CORRECT", "1", "ls README.md -a"],
  ["GIT_EXTERNAL_DIFF", "./evil.sh", "git diff"],
  ["GIT_DIR", "../outside", "git status"],
  ["GIT_TRACE", "1", "git status"],
];

/** What a line prints, and what it complains of. bash reads other files first where its input is a socket. */
async function outputOf(cwd: string, line: string, variables: Record<string, string>) {
  const env = { PATH: "/usr/bin:/bin", HOME: cwd, ...variables };
  const ended = run("sh", ["-c", 'bash -c "$0" < /dev/null 2>&1; true', line], { cwd, env });
  return (await ended).stdout;
}

test.each(leading)(
  "%s=%j is not passed to a member's commands, where it would change %j",
  async (name, value, line) => {
    await using workspace = await project();
    const cwd = workspace.root;
    await writeFile(join(cwd, "evil.sh"), "#!/bin/sh\necho evil\n");
    await chmod(join(cwd, "evil.sh"), 0o755);
    await run(
      "bash",
      ["-c", "rm -rf .git && git init -q && git add README.md && echo x >> README.md"],
      { cwd },
    );
    const usual = await outputOf(cwd, line, commandEnvironment({}));

    const kept = commandEnvironment({ [name]: value });
    const led = { ...commandEnvironment({}), [name]: value };

    expect(await outputOf(cwd, line, kept)).toEqual(usual);
    expect(await outputOf(cwd, line, led), "the control").not.toEqual(usual);
  },
);

test("variables that people need for their commands are kept", () => {
  const needed = {
    PATH: "/bin",
    NODE_OPTIONS: "--max-old-space-size=1",
    GIT_SSH_COMMAND: "ssh -v",
  };

  expect(commandEnvironment(needed)).toMatchObject(needed);
});

test("an exported function with a program's name needs approval", async () => {
  await using workspace = await project();
  const environment = { "BASH_FUNC_ls%%": "() { touch K; }" };
  const decisionOn = async (line: string) =>
    (await judgeLine(workspace.permissions({ environment }), line)).decision;

  expect(await decisionOn("ls")).toBe("ask");
  expect(await decisionOn("cat README.md | ls")).toBe("ask");
  expect(await decisionOn("cat README.md")).toBe("allow");
  expect((await judgeLine(workspace.permissions(), "ls")).decision, "the control").toBe("allow");
});
