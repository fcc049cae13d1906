import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { lead } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { viewTeam } from "../support/team.ts";

const program = resolve("dist/cli/main.js");

/** Runs a line of the shell in which `troupe` is the built program; resolves to what the lead was sent. */
async function prompted(directory: string, line: string): Promise<{ prompt: string; err: string }> {
  const script = `troupe() { "${process.execPath}" "${program}" "$@" --model rehearsal; }; ${line}`;
  const { stderr } = await promisify(execFile)("/bin/sh", ["-c", script], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      XDG_STATE_HOME: join(directory, "state"),
      XDG_CONFIG_HOME: join(directory, "config"),
    },
  });
  const { records } = await viewTeam(directory).mail(lead, { limit: 10 });
  const [sent] = records.filter((each) => each.state !== "set aside");
  return { prompt: String(sent?.message.content), err: stderr };
}

test.each([
  [
    "piped text comes after the prompt",
    "printf 'a\\nb\\n' | troupe run 'review this'",
    "review this\n\n<stdin>\na\nb\n</stdin>",
  ],
  [
    "piped text belongs to the prompt of a talk, and is not lines of its own",
    "printf 'a\\n/new\\n' | troupe 'review this'",
    "review this\n\n<stdin>\na\n/new\n</stdin>",
  ],
  [
    "a file as input does, too",
    "printf 'a' > f; troupe run 'review this' < f",
    "review this\n\n<stdin>\na\n</stdin>",
  ],
  ["the prompt - is the piped text", "printf 'do this' | troupe run -", "do this"],
  ["an empty pipe adds nothing", "true | troupe run 'review this'", "review this"],
  ["no input adds nothing", "troupe run 'review this' < /dev/null", "review this"],
  ["a closed input adds nothing", "troupe run 'review this' <&-", "review this"],
])("%s", async (_, line, prompt) => {
  await using directory = await temporaryDirectory();
  expect(await prompted(directory.path, line)).toMatchObject({ prompt });
});

test("a pipe that stays silent holds nobody up", async () => {
  await using directory = await temporaryDirectory();
  const line = "mkfifo p; exec 3<>p; troupe run 'review this' < p";
  const { prompt, err } = await prompted(directory.path, line);

  expect(prompt).toBe("review this");
  expect(err).toContain("nothing came from standard input");
});
