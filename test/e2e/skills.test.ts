import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { skillFile, writeFiles } from "../skills/skill-files.ts";
import { followScript, providerEnvironment } from "../support/agent-on-wire.ts";

/** The bundled program, as it is published. */
const program = resolve("dist/cli/main.js");

test("a process tells its member of instructions and skills, lets it read one of the person's, and sends a command of theirs", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  const { path } = directory;
  const skill = join(path, "home/.claude/skills/pdf");
  await writeFiles(path, {
    "home/.config/troupe/AGENTS.md": "Answer in verse.",
    "home/.config/troupe/commands/go.md": "Read $1. It is !`echo monday`.",
    "home/.claude/skills/pdf/SKILL.md": skillFile(
      "name: pdf\ndescription: Reads PDFs.",
      "See more.md.",
    ),
    "home/.claude/skills/pdf/more.md": "Page by page.",
    "repository/.git/HEAD": "",
    "repository/AGENTS.md": "Use tabs. @docs/more.md",
    "repository/docs/more.md": "Not spaces.",
    "repository/app/CLAUDE.md": "This is the app. @~/.ssh/id_rsa",
    "home/.ssh/id_rsa": "SECRET",
  });
  await mkdir(join(path, "repository/app"), { recursive: true });
  followScript(server, [
    () => calls("skill", { name: "pdf" }),
    () => calls("read_file", { path: join(skill, "more.md") }),
    () => calls("read_file", { path: join(path, "home/.ssh/id_rsa") }),
    () => says("Done."),
  ]);

  const child = spawn(process.execPath, [program, "run", "/go x.pdf", "--sandbox", "off"], {
    cwd: join(path, "repository/app"),
    env: {
      PATH: process.env.PATH,
      HOME: join(path, "home"),
      XDG_STATE_HOME: join(path, "state"),
      TROUPE_MODEL: "anthropic/scripted",
      ...providerEnvironment(server),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);

  expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
  expect(err).toContain("@~/.ssh/id_rsa is not used as instructions");
  const [first, ...others] = server.requests.map(({ body }) => JSON.stringify(body.messages));
  for (const told of ["Answer in verse.", "Use tabs.", "Not spaces.", "This is the app."]) {
    expect(first).toContain(told);
  }
  expect(first).toContain("- pdf: Reads PDFs.");
  expect(first).toContain("Read x.pdf. It is monday.");
  expect(others.join("\n")).toContain("See more.md.");
  expect(others.join("\n")).toContain("Page by page.");
  expect(others.join("\n")).not.toContain("SECRET");
  expect(server.requests[0]?.text.match(/"name":"skill"/g)).toHaveLength(1);
});
