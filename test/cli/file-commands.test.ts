import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { skillFile, writeFiles } from "../skills/skill-files.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { PlainTerminal } from "../support/plain-terminal.ts";
import { troupeIn } from "./troupe.ts";

async function world(files: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory();
  const server = await ProviderServer.start({ strict: true });
  await writeFiles(directory.path, files);
  return {
    root: directory.path,
    server,
    run: (...argv: string[]) =>
      troupeIn(
        { root: directory.path, env: providerEnvironment(server) },
        ...["run", ...argv, "--model", "anthropic/scripted"],
      ),
    /** What the model was shown as the person's words. */
    get prompt(): string {
      const { content } = server.requests[0]?.body.messages[0] ?? {};
      return JSON.stringify(content);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test("run sends the text of a command, with what was typed, its files and the output of its command lines", async () => {
  await using it = await world({
    ".claude/commands/fix/issue.md": skillFile(
      "description: x\nallowed-tools: Bash(rm:*)\nmodel: opus",
      "Fix #$1 ($ARGUMENTS). Branch: !`echo main`. See @docs/style.md.",
    ),
    "docs/style.md": "Use tabs.",
  });
  it.server.reply(says("Done."));

  const { code, out, err } = await it.run('/fix:issue 12 "high priority"');

  expect({ code, out }).toEqual({ code: 0, out: ["Done."] });
  expect(it.prompt).toContain(
    'Fix #12 (12 \\"high priority\\"). Branch: main. See @docs/style.md.\\n\\n<file path=\\"docs/style.md\\">',
  );
  expect(it.prompt).toContain("Use tabs.\\n</file>");
  expect(err).toEqual(
    expect.arrayContaining([
      "note: attached docs/style.md",
      "note: model (opus) of /fix:issue has no effect",
    ]),
  );
});

test("P30 a command line that would ask is not run unattended: nothing is sent, and the person is told how to allow it", async () => {
  await using it = await world({
    ".claude/commands/evil.md": skillFile(
      "description: x\nallowed-tools: Bash(touch:*)",
      "Do this: !`touch made`",
    ),
  });

  const { code, err } = await it.run("/evil");

  expect(code).toBe(2);
  expect(err.join("\n")).toMatch(
    /error: \/evil was not sent: its command touch made was not run: nobody is there/,
  );
  expect(err.join("\n")).not.toContain("made was run");
  expect(it.server.requests).toEqual([]);

  it.server.reply(says("Done."));
  const allowed = await it.run("/evil", "--allow", "bash(touch:*)");

  expect(allowed.code).toBe(0);
  expect(it.prompt).toContain("Do this: (no output)");
});

test.each([
  ["denied by a rule", "@.env", ["--deny", "read_file(.env)"], "was not read: the rule deny"],
  ["outside the workspace", "@/etc/passwd", [], "outside the workspace"],
  ["outside by a link", "@link/passwd", [], "outside the workspace"],
])(
  "P20 a command that mentions a file which is %s is not sent",
  async (_, mention, flags, reason) => {
    await using it = await world({
      ".claude/commands/steal.md": `Look at ${mention}`,
      ".env": "KEY=1",
    });
    await symlink("/etc", join(it.root, "link"));

    const { code, err } = await it.run("/steal", ...flags);

    expect(code).toBe(2);
    expect(err.join("\n")).toContain(reason);
    expect(it.server.requests).toEqual([]);
  },
);

test("a skill is called by its name, also one that members are not told of", async () => {
  await using it = await world({
    ".claude/skills/deploy/SKILL.md": skillFile(
      "description: x\ndisable-model-invocation: true",
      "Deploy to $ARGUMENTS.",
    ),
    ".claude/skills/deploy/steps.md": "1. Build.",
  });
  it.server.reply(says("Done."));

  await it.run("/deploy staging");

  expect(it.prompt).toMatch(
    /Use the skill deploy, which is in .*\/deploy:\\n\\nDeploy to staging\.\\n\\nFiles in its directory:\\n- steps\.md/,
  );
});

test("an unknown command starts nothing; a path is no command", async () => {
  await using it = await world({ ".claude/commands/review.md": "Review." });

  const { code, err } = await it.run("/reviw src");

  expect(code).toBe(2);
  expect(err.join("\n")).toMatch(
    /There is no command \/reviw for a run\n.*Did you mean \/review\?/,
  );

  it.server.reply(says("Done."));
  await it.run("/etc/hosts is wrong");

  expect(it.prompt).toContain("/etc/hosts is wrong");
});

test("in plain lines, a command's question is answered by the next line, and then its text is sent", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, ".claude/commands"), { recursive: true });
  await writeFile(
    join(directory.path, ".claude/commands/make.md"),
    "What is in the inbox? !`touch made` $ARGUMENTS",
  );
  const terminal = new PlainTerminal();
  const talking = terminal.talk(directory.path, "--sandbox", "off");
  await terminal.shows(/\n> $/);
  terminal.type("/make it");
  const [, yes = ""] = await terminal.shows(/touch made[\s\S]*(\/a\d+) /);
  terminal.type(yes);
  await terminal.shows(/\(no output\) it|rehearsal/);
  const from = terminal.text.length;
  terminal.type("/help");
  await terminal.shows(/\/make\s+What is in the inbox/, from);
  terminal.end();
  await talking;

  expect(terminal.text).toMatch(/\/make asks for it, and /);
});

test("troupe skills lists what is found, and what of it has no effect", async () => {
  await using it = await world({
    ".claude/skills/pdf/SKILL.md": skillFile(
      "description: Reads PDFs.\nallowed-tools: Bash(python:*)\nmodel: opus",
    ),
    ".claude/skills/bad/SKILL.md": "x",
    ".claude/commands/help.md": "Mine.",
    ".claude/commands/review.md": skillFile("description: Reviews.\nargument-hint: <file>", "x"),
  });

  const { out } = await troupeIn({ root: it.root, env: {} }, "skills");

  expect(out.join("\n")).toBe(`Skills:
  pdf                   Reads PDFs. (.claude/skills/pdf/SKILL.md; suggests, and
                        does not permit: Bash(python:*); no effect: model)

Commands:
  /review <file>        Reviews. (.claude/commands/review.md)

Not used:
  .claude/commands/help.md: /help is Troupe's own command
  .claude/skills/bad/SKILL.md: it has no description`);

  const json = await troupeIn({ root: it.root, env: {} }, "skills", "--json");

  expect(JSON.parse(json.out.join("\n"))).toMatchObject({
    skills: [{ name: "pdf", for_members: true, described: true, callable: true, personal: false }],
    commands: [{ name: "review", argument_hint: "<file>", no_effect: [] }],
    unused: [{ reason: "/help is Troupe's own command" }, { reason: "it has no description" }],
    not_read: 0,
  });
});
