import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { RoleFiles } from "../../src/roles/role-files.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** Role files in the shapes that public collections have. */
const shapes: readonly (readonly [string, string, object])[] = [
  [
    "a list with commas",
    "tools: Read, Grep, Bash(git log:*, x)",
    { tools: ["Read", "Grep", "Bash(git log:*, x)"] },
  ],
  ["a list of YAML", "tools:\n  - Read\n  - Grep", { tools: ["Read", "Grep"] }],
  [
    "tools switched off",
    "tools:\n  write: false\n  edit: false",
    { disallowedTools: ["write", "edit"] },
  ],
  [
    "permissions of opencode",
    "permission:\n  edit: deny\n  bash: ask",
    { disallowedTools: ["Edit"], askedTools: ["Bash"] },
  ],
  ["a color by name", "color: purple", { color: "magenta" }],
  ["a color by value", 'color: "#FF5733"', { color: "red" }],
  ["a worktree", "isolation: worktree", { isolation: "checkout" }],
  ["steps", "steps: 9", { maxTurns: 9 }],
  ["servers by name", "mcpServers: [github]", { mcpServers: { names: ["github"], own: {} } }],
  ["skills", "skills: pdf, xlsx", { skills: ["pdf", "xlsx"] }],
  [
    "an agent of Claude Code for plugins",
    'description: |\n  Use this agent when code was written.\n\n  <example>\n  user: "Done: please check"\n  </example>\ntools: Glob, Grep, LS, Read, NotebookRead, WebFetch, TodoWrite, WebSearch, KillShell, BashOutput\nmodel: sonnet\ncolor: red',
    {
      description: expect.stringContaining("<example>"),
      tools: expect.arrayContaining(["LS", "TodoWrite"]),
      model: "sonnet",
    },
  ],
  [
    "a reviewer that only reads, in a worktree",
    "tools: [Read, Grep, Glob, 'Bash(git diff:*)']\ndisallowedTools: [Write, Edit]\npermissionMode: plan\nisolation: worktree\nmaxTurns: 15",
    {
      tools: ["Read", "Grep", "Glob", "Bash(git diff:*)"],
      disallowedTools: ["Write", "Edit"],
      permissionMode: "plan",
      isolation: "checkout",
      maxTurns: 15,
    },
  ],
  [
    "hooks of its own",
    "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./scripts/check.sh",
    {
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [{ type: "command", command: "./scripts/check.sh" }] },
        ],
      },
    },
  ],
  [
    "a server of its own, and one of the team",
    "mcpServers:\n  - slack\n  - playwright:\n      type: stdio\n      command: npx\n      args: ['-y', '@playwright/mcp@latest']",
    {
      mcpServers: {
        names: ["slack"],
        own: { playwright: { command: "npx", args: ["-y", "@playwright/mcp@latest"] } },
      },
    },
  ],
  [
    "tools of a server, and notes that are kept",
    "tools: Read, mcp__github__get_issue, mcp__linear\nmemory: project\nbackground: true",
    { tools: ["Read", "mcp__github__get_issue", "mcp__linear"] },
  ],
  [
    "all tools but some",
    "tools: '*'\ndisallowedTools: Agent, Skill, mcp__github__*",
    { tools: ["*"], disallowedTools: ["Agent", "Skill", "mcp__github__*"] },
  ],
  [
    "a subagent of opencode",
    "mode: subagent\nmodel: anthropic/claude-sonnet-4-20250514\ntemperature: 0.1\ntools:\n  write: false\n  edit: false\n  bash: false",
    {
      model: "anthropic/claude-sonnet-4-20250514",
      disallowedTools: ["write", "edit", "bash"],
    },
  ],
  [
    "patterns of commands of opencode",
    'mode: subagent\npermission:\n  edit: deny\n  bash:\n    "git push": ask\n    "rm *": deny\n    "*": allow',
    { disallowedTools: ["Edit", "Bash(rm:*)"], askedTools: ["Bash(git push)"] },
  ],
  [
    "only some tools, as opencode switches them on",
    'tools:\n  "*": false\n  read: true\n  github-triage: true\nsteps: 5\nhidden: true',
    { tools: ["read", "github-triage"], maxTurns: 5 },
  ],
  ["hosts", "network: npm, example.com", { network: ["npm", "example.com"] }],
];

test.each(shapes)("a role with %s says what it says", async (_, fields, role) => {
  await using it = await project();
  await it.write(
    ".claude/agents/deep/a.md",
    `---\r\nname: a\r\n${/^description:/m.test(fields) ? "" : "description: b\r\n"}${fields}\n---\nText`,
  );

  expect(await it.find()).toMatchObject({
    roles: [{ role: { name: "a", prompt: "Text", ...role }, problems: [] }],
  });
});

test("of several files with one name the first place counts, and the others are named", async () => {
  await using it = await project();
  const text = "---\nname: a\ndescription: b\n---\n";
  for (const path of [".claude/agents/a.md", ".troupe/agents/a.md", "own/a.md"])
    await it.write(path, text);

  const { roles, hidden } = await it.find();

  expect(roles.map(({ path }) => path)).toEqual([join(it.root, ".troupe/agents/a.md")]);
  expect(hidden.map(({ path }) => path)).toEqual([
    join(it.root, ".claude/agents/a.md"),
    join(it.root, "own/a.md"),
  ]);
});

test("hostile files are named as broken, and harm no other", async () => {
  await using it = await project();
  const place = join(it.root, ".claude/agents");
  await it.write(".claude/agents/good.md", "---\nname: good\ndescription: b\n---\n");
  await it.write(".claude/agents/large.md", "x".repeat(1024 * 1024));
  await it.write(".claude/agents/anchors.md", "---\nname: &a x\ndescription: *a\n---\n");
  await symlink("/etc/shadow", join(place, "link.md"));
  execFileSync("mkfifo", [join(place, "pipe.md")]);
  await mkdir(join(place, "directory.md"));

  const { roles, broken } = await it.find();

  expect(roles.map(({ role }) => role.name)).toEqual(["good"]);
  expect(broken.map(({ path }) => path.slice(place.length + 1))).toEqual([
    "anchors.md",
    "large.md",
    "link.md",
    "pipe.md",
  ]);
});

/** A directory of a project, in which `own` has the person's own roles. */
async function project() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  return {
    root,
    async write(path: string, text: string) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    find: () => new RoleFiles({ workspace: root, own: [join(root, "own")] }).find(),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
