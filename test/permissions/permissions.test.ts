import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseRule } from "../../src/permissions/rule.ts";
import type { PermissionMode } from "../../src/protocol/message.ts";
import { allow, ask, deny, judgeLine, project } from "./judge-lines.ts";

const modes: PermissionMode[] = ["default", "acceptEdits", "plan", "bypassPermissions"];

function read(path: string) {
  return { tool: "read_file", action: { type: "read", path } } as const;
}

function write(path: string) {
  return { tool: "edit_file", action: { type: "write", path } } as const;
}

function command(text: string) {
  return { tool: "bash", action: { type: "command", command: text } } as const;
}

const calls = {
  "reading inside": read("src/a.ts"),
  "reading outside": read("/etc/passwd"),
  "writing inside": write("src/a.ts"),
  "a command that reads": command("cat src/a.ts | head"),
  "a command that reads outside": command("cat /etc/passwd"),
  "a command that edits": command("mkdir -p src/new && echo x > src/new/a.ts"),
  "a command that runs something": command("npm test"),
  "a message": { tool: "send_message", action: { type: "coordinate" } },
} as const;

const expected: Record<keyof typeof calls, Record<PermissionMode, string>> = {
  "reading inside": every("allow"),
  "reading outside": { ...every("ask"), bypassPermissions: "allow" },
  "writing inside": {
    default: "ask",
    acceptEdits: "allow",
    plan: "deny",
    bypassPermissions: "allow",
  },
  "a command that reads": every("allow"),
  "a command that reads outside": { ...every("ask"), bypassPermissions: "allow" },
  "a command that edits": {
    default: "ask",
    acceptEdits: "allow",
    plan: "deny",
    bypassPermissions: "allow",
  },
  "a command that runs something": {
    default: "ask",
    acceptEdits: "ask",
    plan: "deny",
    bypassPermissions: "allow",
  },
  "a message": every("allow"),
};

function every(decision: string): Record<PermissionMode, string> {
  return { default: decision, acceptEdits: decision, plan: decision, bypassPermissions: decision };
}

test.each(modes)("%s decides each kind of call as documented", async (mode) => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode });

  for (const [name, call] of Object.entries(calls)) {
    const { decision } = await permissions.judge(call);

    expect({ name, decision }).toEqual({
      name,
      decision: expected[name as keyof typeof calls][mode],
    });
  }
});

test("only calls that change nothing are read-only, regardless of the decision", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode: "bypassPermissions" });

  const readOnly: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    if ((await permissions.judge(call)).isReadOnly) readOnly.push(name);
  }

  expect(readOnly).toEqual([
    "reading inside",
    "reading outside",
    "a command that reads",
    "a command that reads outside",
    "a message",
  ]);
});

test("a call that is refused in plan mode says to present the plan", async () => {
  await using workspace = await project();

  const { reason } = await workspace.permissions({ mode: "plan" }).judge(write("src/a.ts"));

  expect(reason).toContain("Present your plan");
});

test.each(modes)("P20 no file tool writes the team's records in mode %s", async (mode) => {
  await using workspace = await project();
  const permissions = workspace.permissions({
    mode,
    rules: allow("edit_file", "edit_file(.team/**)"),
  });

  for (const path of [
    ".team/config.json",
    ".team",
    "src/../.team/new",
    join(workspace.root, ".team/x"),
  ]) {
    expect(await permissions.judge(write(path))).toMatchObject({ decision: "deny" });
  }
});

const tampering = [
  "echo x > .team/inbox/lead.jsonl",
  "rm -rf .team",
  "rm -rf .",
  "mv .team elsewhere",
  "cd .team && touch x",
  "cp README.md .team/",
  "sed -i s/a/b/ .team/config.json",
  'node -e \'require("fs").rmSync(".team")\'',
  "bash -c 'echo x >> .team/events.jsonl'",
  "python3 - <<'EOF'\nopen('.team/x', 'w')\nEOF",
  "cat ../outside/keys/default",
  "cp x ../outside/keys/",
  "cat ../outside/dashboards/team.json",
  "cp x ../outside/dashboards/",
  "troupe approve 1",
  "npx troupe approve 1",
  "/usr/local/bin/troupe approve 1",
  "echo 1 | xargs troupe approve",
  "env X=1 timeout 5 troupe approve 1",
  "eval 'troupe approve 1'",
  "f() { troupe approve 1; }; f",
  'eval "tro""upe approve 7"',
  "echo x > .t*/config.json",
  "echo x > .[t]eam/config.json",
  "cd .t*m && rm config.json",
  "cp -rt . evil/.team",
  "find . -delete",
  "find -name '*.json' -exec rm {} +",
  "git clean -fdx",
  "chown -R nobody .",
  'chmod -R u-w "$PWD"',
  "shopt -s dotglob; rm -rf *",
  'rm -rf "$PWD"',
  "rm -rf ~+",
  'rm -rf "$(pwd)"',
  "rm -rf --one-file-system .",
  "GLOBIGNORE=x; rm -rf *",
  "cp x /proc/self/cwd/.team/y",
  "echo x > /proc/self/cwd/.team/y",
  "cd /proc/self/cwd && rm .team/y",
  "$(echo troupe) approve 7",
  "echo .teamx; python3 -c \"open('.team/x','w')\"",
];

test.each(tampering)(
  "P13 %j needs approval in every mode regardless of rules, and is refused in bypassPermissions",
  async (line) => {
    await using workspace = await project();
    const rules = allow("bash", "edit_file", "read_file", `bash(${line.split(" ")[0]}:*)`);

    for (const mode of ["default", "acceptEdits"] as const) {
      expect(await judgeLine(workspace.permissions({ mode, rules }), line)).toMatchObject({
        decision: "ask",
      });
    }
    for (const mode of ["plan", "bypassPermissions"] as const) {
      const { decision, isReadOnly } = await judgeLine(
        workspace.permissions({ mode, rules }),
        line,
      );
      expect({ mode, decision }).toEqual({
        mode,
        decision: mode === "plan" && isReadOnly ? "ask" : "deny",
      });
    }
  },
);

test.each([
  "cat .team/config.json",
  "grep -rn troupe src",
  "git commit -m 'Describe .team/ and troupe'",
  "cd src && npm test",
  "rm -rf build",
  'rm -rf "$x"',
  "find src -name '*.tmp' -delete",
  "find . -name '*.ts' -exec sed -i s/a/b/ {} +",
  "git clean -fd",
  "git clean -fdx build",
  "chmod -R u+w src",
  "cp -rt build src",
  "rm -rf src/*",
])("%j does not count as tampering", async (line) => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode: "bypassPermissions" });

  expect(await judgeLine(permissions, line)).toMatchObject({ decision: "allow" });
});

const protectedFiles = [
  ".git/config",
  ".git",
  ".GIT/hooks/pre-commit",
  "packages/core/.git/hooks/x",
  ".gitmodules",
  ".bashrc",
  "src/.Profile",
  ".zshrc",
  ".envrc",
  ".npmrc",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  ".circleci/config.yml",
  "Jenkinsfile",
  "azure-pipelines.yml",
  ".husky/pre-commit",
  ".githooks/pre-push",
  ".pre-commit-config.yaml",
  ".vscode/tasks.json",
  ".vscode/settings.json",
  "troupe.json",
  ".mcp.json",
  ".troupe/agents/reviewer.md",
  ".agents/skills/deploy/SKILL.md",
  ".claude/agents/reviewer.md",
  ".opencode/agent/reviewer.md",
  ".config/troupe/config.json",
  ".cache/troupe/code-0.1.0.cache",
  ".local/state/troupe/trusted/x.json",
];

test.each(protectedFiles)(
  "writing %s always needs approval, by tool and by command",
  async (path) => {
    await using workspace = await project();
    const rules = allow(
      "edit_file",
      `edit_file(${path})`,
      "bash(cp:*)",
      "bash(tee:*)",
      "bash(echo:*)",
    );

    for (const mode of ["default", "acceptEdits"] as const) {
      const permissions = workspace.permissions({ mode, rules });
      expect(await permissions.judge(write(path))).toMatchObject({ decision: "ask" });
      for (const line of [`echo x > ${path}`, `cp README.md ${path}`, `echo x | tee -a ${path}`]) {
        expect({ line, ...(await judgeLine(permissions, line)) }).toMatchObject({
          line,
          decision: "ask",
        });
      }
    }
  },
);

test.each(["AGENTS.md", "src/git.ts", "docs/.gitkeep", "package.json", ".github/README.md"])(
  "writing %s needs no more than other files",
  async (path) => {
    await using workspace = await project();

    expect(await workspace.permissions({ mode: "acceptEdits" }).judge(write(path))).toMatchObject({
      decision: "allow",
    });
  },
);

test("deny beats ask beats allow", async () => {
  await using workspace = await project();
  const allowing = allow("bash(npm test:*)", "edit_file(src/**)");
  const asking = [...ask("bash(npm test:*)", "edit_file(src/a.ts)"), ...allowing];
  const denying = [...allowing, ...deny("bash(npm test:*)", "edit_file(src/a.ts)"), ...asking];

  for (const [rules, decision] of [
    [allowing, "allow"],
    [asking, "ask"],
    [denying, "deny"],
  ] as const) {
    const permissions = workspace.permissions({ rules });
    expect(await judgeLine(permissions, "npm test")).toMatchObject({ decision });
    expect(await permissions.judge(write("src/a.ts"))).toMatchObject({ decision });
  }
});

test.each([
  "rm -rf build",
  "/bin/rm -rf build",
  "sudo rm x",
  "env X=1 rm x",
  "echo x | xargs rm",
  "echo x | xargs -I{} rm {}",
  "timeout 5 nice rm x",
  "npm test && rm x",
  "echo $(rm x)",
  "bash -c 'ls; rm x'",
  "find . -exec rm {} +",
  "for f in a; do rm $f; done",
  "f() { rm x; }; f",
  "cat <<EOF\n`rm x`\nEOF",
  "'r'm x",
  "\\rm x",
  "command rm x",
  "npx rm x",
  "sudo -u root -i rm x",
  "sudo -iu root rm x",
  "eval 'rm -rf src'",
  "eval rm x",
  "exec rm x",
  "bash -lc 'rm x'",
  "bash --norc -c 'rm x'",
  "bash -c -- 'rm x'",
  "bash -o pipefail -ec 'rm x'",
  "zsh -c 'rm x'",
  "env -S 'rm x'",
  "env -S'rm x'",
  "mapfile -C 'rm x' -c 1 a < f",
  "xargs -a f rm",
  "trap 'rm x' EXIT",
  "alias r=rm; r x",
  "busybox rm x",
  "busybox sh -c 'ls; rm x'",
  "flock lock rm x",
  "flock lock -c 'rm x'",
  "chroot . rm x",
  "unshare -r rm x",
  "nsenter -t 1 rm x",
  "su -c 'rm x'",
  "script -c 'rm x' out",
  "parallel rm ::: x",
  "strace -f rm x",
  "find . -exec sh -c 'rm x' \\;",
])("a rule that denies rm finds it in %j, in every mode", async (line) => {
  await using workspace = await project();

  for (const mode of modes) {
    const permissions = workspace.permissions({
      mode,
      rules: [...allow("bash"), ...deny("bash(rm:*)")],
    });
    expect(await judgeLine(permissions, line)).toMatchObject({ decision: "deny" });
  }
});

test.each([
  "x=$(echo rm); $x src",
  "`echo rm` x",
  `r=(rm x); "\${r[@]}"`,
  "/bin/r? x",
  "bash <<< 'rm x'",
  "echo rm x | bash",
  "echo rm x | sh -s",
  "bash <(echo rm x)",
  'bash -c "$x"',
  'eval "$x"',
  "source x.sh",
  ". ./x.sh",
  "alias r='r''m -f'; r x",
  "su -c 'r\"\"m x'",
])("the program of %j is unknown, so it needs approval if a program is denied", async (line) => {
  await using workspace = await project();
  const rules = [...allow("bash"), ...deny("bash(curl:*)")];
  const asked = await judgeLine(workspace.permissions({ rules }), line);
  const mode = "bypassPermissions";
  const refused = await judgeLine(workspace.permissions({ mode, rules }), line);
  const free = await judgeLine(
    workspace.permissions({ mode, rules: deny("read_file(.env)") }),
    line,
  );

  expect([asked.decision, refused.decision, free.decision]).toEqual(["ask", "deny", "allow"]);
});

test.each([
  "bash script.sh 'a b'",
  "bash -c 'ls src'",
  "flock lock npm test",
  "timeout 5 grep rm src/a.ts",
  "echo 'rm x'",
])("a rule that denies rm does not apply to %j", async (line) => {
  await using workspace = await project();
  const permissions = workspace.permissions({
    mode: "bypassPermissions",
    rules: deny("bash(rm:*)"),
  });

  expect(await judgeLine(permissions, line)).toMatchObject({ decision: "allow" });
});

test.each([
  "cat .env",
  "head -3 ./.env",
  "cat .e*",
  "grep KEY < .env",
  "cp .env build/x",
  "cd src; cat ../.env",
])("a rule that denies reading .env applies to the command %j too", async (line) => {
  await using workspace = await project();
  const permissions = workspace.permissions({
    rules: [...allow("bash"), ...deny("read_file(.env)")],
  });

  expect(await judgeLine(permissions, line)).toMatchObject({ decision: "deny" });
  expect(await permissions.judge(read(".env"))).toMatchObject({ decision: "deny" });
  expect(await permissions.judge({ ...read(".env"), tool: "grep" })).toMatchObject({
    decision: "deny",
  });
});

test("a bare rule denies any tool, including those that only coordinate", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions({ rules: deny("broadcast") });

  const verdict = await permissions.judge({ tool: "broadcast", action: { type: "coordinate" } });

  expect(verdict).toMatchObject({ decision: "deny", reason: "the rule deny broadcast" });
});

test("an exact rule covers commands that prefix rules do not", async () => {
  await using workspace = await project();
  const rules = allow("bash(node -e 1)", "bash(sudo make)", "bash(cat /etc/hosts)", "bash(find:*)");
  const permissions = workspace.permissions({ rules });

  const decisions = new Map<string, string>();
  for (const line of [
    "node -e 1",
    "node -e 2",
    "sudo make",
    "sudo make x",
    "cat /etc/hosts",
    "NODE_OPTIONS=x node -e 1",
    "node -e 1 > ~/x",
  ]) {
    decisions.set(line, (await judgeLine(permissions, line)).decision);
  }

  expect(
    [...decisions].filter(([, decision]) => decision === "allow").map(([line]) => line),
  ).toEqual(["node -e 1", "sudo make", "cat /etc/hosts"]);
});

test.each([
  ["npm run build", "bash(npm run build:*)"],
  ["npm run build && npm run build -- -x", "bash(npm run build:*)"],
  ["git commit -m x", "bash(git commit:*)"],
  ["cargo test --all", "bash(cargo test:*)"],
  ["pytest -q", "bash(pytest:*)"],
  ["npx tsc --noEmit", "bash(npx tsc:*)"],
  ["rm -f build/x", "bash(rm -f build/x)"],
  ["timeout 5 npm test", "bash(npm test:*)"],
  ["echo x > build/log", "edit_file(build/log)"],
  ["node -e 1", undefined],
  ["node build/index.js", "bash(node build/index.js:*)"],
  ["node build/index.js --verbose", "bash(node build/index.js:*)"],
  ["python3 src/main.py", "bash(python3 src/main.py:*)"],
  ["node --test", "bash(node --test:*)"],
  ["node --test --test-reporter spec src", "bash(node --test:*)"],
  ["node --import ./x.mjs build/index.js", undefined],
  ["node", undefined],
  ["node - < README.md", undefined],
  ["node /dev/stdin < README.md", undefined],
  ["node $SCRIPT", undefined],
  ["python3 -c 1", undefined],
  ["sudo make", undefined],
  ["bash script.sh", undefined],
  ["find . -delete", undefined],
  ["npm run build; cargo test", undefined],
  ["cat /etc/passwd", undefined],
  ["echo x > .npmrc", undefined],
  ["git -c x=y log", undefined],
])("%j suggests the rule %s, and that rule is enough", async (line, suggestedRule) => {
  await using workspace = await project();
  const permissions = workspace.permissions();

  const verdict = await judgeLine(permissions, line);

  expect(verdict.decision).toBe("ask");
  expect(verdict.suggestedRule).toBe(suggestedRule);
  if (suggestedRule === undefined) return;
  permissions.setRules([parseRule("allow", suggestedRule)]);
  expect(await judgeLine(permissions, line)).toMatchObject({ decision: "allow" });
});

test("an edit suggests a rule for its folder", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions();

  expect(await permissions.judge(write("src/lib/new.ts"))).toMatchObject({
    suggestedRule: "edit_file(src/**)",
  });
  expect(await permissions.judge(write("README.md"))).toMatchObject({
    suggestedRule: "edit_file(README.md)",
  });
});

test("a changed mode applies from then on", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode: "plan" });
  const before = await permissions.judge(write("src/a.ts"));

  permissions.setMode("acceptEdits");

  expect(before.decision).toBe("deny");
  expect((await permissions.judge(write("src/a.ts"))).decision).toBe("allow");
});

test("hidden characters are shown in the reason", async () => {
  await using workspace = await project();

  const { decision, reason } = await judgeLine(workspace.permissions(), "ls \u202e# hi");

  expect(decision).toBe("ask");
  expect(reason).toContain("ls <U+202E># hi");
});

test("a rule that denies all commands also denies unreadable ones", async () => {
  await using workspace = await project();

  for (const mode of modes) {
    const permissions = workspace.permissions({ mode, rules: deny("bash") });
    expect(await judgeLine(permissions, 'echo "')).toMatchObject({ decision: "deny" });
  }
});

test("in bypassPermissions an unreadable line is refused", async () => {
  await using workspace = await project();
  const line = `rm x; ${"ls; ".repeat(600)} echo "`;
  const mode = "bypassPermissions";

  const free = await judgeLine(workspace.permissions({ mode }), line);
  const bound = await judgeLine(workspace.permissions({ mode, rules: deny("bash(rm:*)") }), line);

  expect(free.decision).toBe("deny");
  expect(bound.decision).toBe("deny");
});

test("a bracket without a match is an ordinary name", async () => {
  await using workspace = await project();
  await symlink(workspace.outside, join(workspace.root, "[id]"));
  const permissions = workspace.permissions({ mode: "acceptEdits" });

  for (const found of [false, true]) {
    if (found) await mkdir(join(workspace.root, "i"));
    for (const line of ["cat [id]/secret.txt", "cp README.md [id]/x", "echo x | tee [id]/x"]) {
      expect({ line, ...(await judgeLine(permissions, line)) }).toMatchObject({
        line,
        decision: "ask",
      });
    }
  }
});

test("a pattern that finds options is not a path for find", async () => {
  await using workspace = await project();
  const line = "find . -name ?z*";
  const before = await judgeLine(workspace.permissions(), line);

  await writeFile(join(workspace.root, "+z"), "");
  await writeFile(join(workspace.root, "-z"), "");
  const after = await judgeLine(workspace.permissions(), line);

  expect([before.decision, after.decision]).toEqual(["allow", "ask"]);
});

test.each([
  "find src -type f -name '*.ts' -exec grep -l async {} +",
  "find . -type f -not -path '*/node_modules/*' -exec wc -l {} \\;",
  "export NODE_ENV=test; export CI=true && ls",
  '[ -n "$x" ] && [ ! -f "$x" ] && [ "$x" = "$y" ]',
  "bash -c 'ls src && cat README.md | head -3'",
  "jq -r '.version' package.json",
  "PORT=3000 DEBUG=app:* ls",
  "sed -n '/^[[:space:]]*a/p;s/[^a-z]//g' README.md",
  'n=0; for f in a b; do echo $f; done; while read -r line; do echo "$line"; done < README.md',
])("%j needs no approval", async (line) => {
  await using workspace = await project();

  expect(await judgeLine(workspace.permissions(), line)).toMatchObject({ decision: "allow" });
});

test("reading through -exec is denied if reading the file is denied", async () => {
  await using workspace = await project();
  const line = "find . -type f -exec grep KEY {} +";
  const permissions = workspace.permissions({ rules: deny("read_file(.env)") });

  expect((await judgeLine(permissions, line)).decision).not.toBe("allow");
});
