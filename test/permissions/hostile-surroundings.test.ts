import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ask, deny, judgeLine, project } from "./judge-lines.ts";

async function writeProgram(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "#!/bin/sh\n");
  await chmod(path, 0o755);
}

test.each(["ls", "timeout 5 cat README.md", "git status", "bash -c 'cat README.md'", "nice ls"])(
  "%j needs approval if PATH finds its program in the workspace",
  async (line) => {
    await using workspace = await project();
    const bin = join(workspace.root, "tools/bin");
    const environment = { PATH: `${bin}:/usr/bin:/bin` };
    const permissions = workspace.permissions({ environment });
    const before = await judgeLine(permissions, line);

    for (const name of ["ls", "timeout", "git", "bash", "nice"])
      await writeProgram(join(bin, name));
    const after = await judgeLine(permissions, line);
    const elsewhere = { PATH: `/usr/bin:/bin:${bin}` };
    const behind = await judgeLine(workspace.permissions({ environment: elsewhere }), line);

    expect([before.decision, after.decision, behind.decision]).toEqual(["allow", "ask", "allow"]);
  },
);

test.each([
  "cp src/a.ts tools/bin/ls",
  "echo x > tools/bin/ls",
  "mv src tools/bin",
  "tee tools/bin/new",
])("%j needs approval if edits are accepted and PATH has that folder", async (line) => {
  await using workspace = await project();
  const environment = { PATH: `${join(workspace.root, "tools/bin")}:/usr/bin` };
  const mode = "acceptEdits";

  const asked = await judgeLine(workspace.permissions({ mode, environment }), line);
  const control = await judgeLine(workspace.permissions({ mode }), line);

  expect([asked.decision, control.decision]).toEqual(["ask", "allow"]);
});

test("file tools need approval to write a program in a folder of PATH too", async () => {
  await using workspace = await project();
  const environment = { PATH: join(workspace.root, "tools/bin") };
  const permissions = workspace.permissions({ mode: "acceptEdits", environment });
  const write = (path: string) =>
    permissions.judge({ tool: "write_file", action: { type: "write", path } });

  expect(await write("tools/bin/ls")).toMatchObject({ decision: "ask" });
  expect(await write("tools/ls")).toMatchObject({ decision: "allow" });
});

test("an unreachable directory in PATH or home does not prevent judging", async () => {
  await using workspace = await project();
  const loop = join(workspace.outside, "loop");
  await symlink(loop, loop);
  const unreachable = { PATH: `${loop}/bin:/usr/bin`, HOME: `${loop}/home` };
  const permissions = workspace.permissions({ environment: unreachable });
  const coordination = { tool: "claim_task", action: { type: "coordinate" } } as const;

  expect(await judgeLine(permissions, "cat README.md")).toMatchObject({ decision: "allow" });
  expect(await permissions.judge(coordination)).toMatchObject({ decision: "allow" });
  // What a call names itself is refused where it leads nowhere.
  expect(await permissions.judge(reading(loop))).toMatchObject({ decision: "deny" });
});

test("a directory of PATH in the workspace cannot be written without approval, even if it does not exist yet", async () => {
  await using workspace = await project();
  const bin = join(workspace.root, "bin");
  await symlink(bin, bin);
  const environment = { PATH: `${bin}:/usr/bin` };
  const permissions = workspace.permissions({ mode: "acceptEdits", environment });
  await permissions.judge(reading("README.md"));
  await rm(bin);

  const asked = await judgeLine(permissions, "mkdir bin; cp src/a.ts bin/ls");
  const elsewhere = await judgeLine(permissions, "mkdir lib; cp src/a.ts lib/ls");

  expect([asked.decision, elsewhere.decision]).toEqual(["ask", "allow"]);
});

function reading(path: string) {
  return { tool: "read_file", action: { type: "read", path } } as const;
}

test("if the workspace is the person's home, reading secrets in it needs approval", async () => {
  await using workspace = await project();
  const home = workspace.permissions({ environment: { HOME: workspace.root } });
  const elsewhere = workspace.permissions({ environment: { HOME: workspace.outside } });
  const lines = ["cat .ssh/id_ed25519", "grep -r x .", "head .aws/credentials"];

  for (const line of lines) {
    expect({ line, ...(await judgeLine(home, line)) }).toMatchObject({ line, decision: "ask" });
    expect(await judgeLine(elsewhere, line)).toMatchObject({ decision: "allow" });
  }
  expect(await judgeLine(home, "cat README.md")).toMatchObject({ decision: "allow" });
});

test("showing or changing an environment variable needs approval", async () => {
  await using workspace = await project();
  const environment = { ACME_LICENCE: "abc", HOME: "/home/x", PATH: "/usr/bin" };
  const permissions = workspace.permissions({ environment });
  const decisionOf = async (line: string) => (await judgeLine(permissions, line)).decision;

  expect(await decisionOf("echo $ACME_LICENCE")).toBe("ask");
  expect(await decisionOf("ACME_LICENCE=x; ls")).toBe("ask");
  expect(await decisionOf("echo $OTHER_LICENCE; OTHER_LICENCE=x; ls")).toBe("allow");
  expect(await decisionOf("echo $HOME $PATH")).toBe("allow");
  expect(await decisionOf("false && GITHUB_TOKEN=x; echo $GITHUB_TOKEN")).toBe("ask");
});

test("a line with non-ASCII letters needs approval if bash uses another encoding", async () => {
  await using workspace = await project();
  const decisionIn = async (LANG: string) =>
    (await judgeLine(workspace.permissions({ environment: { LANG } }), "echo é")).decision;

  expect(await decisionIn("zh_CN.GBK")).toBe("ask");
  expect(await decisionIn("de_DE.UTF-8")).toBe("allow");
});

test("troupe is not run by another name of its folder in bypassPermissions", async () => {
  await using workspace = await project();
  const copy = join(workspace.outside, "copy");
  await mkdir(join(copy, "dist/cli"), { recursive: true });
  await writeFile(join(copy, "package.json"), JSON.stringify({ name: "troupe" }));
  await writeFile(join(copy, "dist/cli/main.js"), "");
  const permissions = workspace.permissions({ mode: "bypassPermissions" });
  const decisionOf = async (line: string) => (await judgeLine(permissions, line)).decision;

  expect(await decisionOf(`node ${copy}/dist/cli/main.js approvals`)).toBe("deny");
  await writeFile(join(copy, "package.json"), JSON.stringify({ name: "other" }));
  expect(await decisionOf(`node ${copy}/dist/cli/main.js approvals`)).toBe("allow");
});

test("a search needs approval if a rule covers something below it, and is free otherwise", async () => {
  await using workspace = await project();
  const decisionWith = async (rules: Parameters<typeof workspace.permissions>[0]) => {
    const action = { type: "read", path: ".", isTree: true } as const;
    return (await workspace.permissions(rules).judge({ tool: "grep", action })).decision;
  };
  const permissions = workspace.permissions({ rules: deny("read_file(secrets/**)") });
  const placeOf = (relative: string) => ({
    real: join(workspace.root, relative),
    isInside: true,
    relative,
  });

  expect(await decisionWith({ rules: ask("read_file(.env)") })).toBe("ask");
  expect(await decisionWith({ rules: deny("read_file(.env)") })).toBe("allow");
  expect(permissions.mayRead(placeOf("secrets/key"))).toBe(false);
  expect(permissions.mayRead(placeOf("src/a.ts"))).toBe(true);
});
