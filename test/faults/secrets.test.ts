import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { childEnvironment, Secrets } from "../../src/lib/secrets.ts";
import { callTool } from "../../src/testing/call-tool.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { openShell, type ShellFixture } from "../processes/shell-fixture.ts";

const canary = "sk-ant-canary-4f8Gq2Lw9ZkT";

/** Ways in which a key that a command can get at comes out of it, in `.env` or the environment. */
const leaks = [
  ["the environment", "env"],
  ["the environment as the kernel has it", "cat /proc/self/environ | tr '\\0' '\\n'"],
  ["a grandchild's environment", "bash -c 'bash -c env'"],
  ["a file", "cat .env"],
  ["the errors", "cat .env >&2"],
  ["a file, byte by byte", 'while IFS= read -r -n1 c; do printf %s "$c"; sleep 0.01; done <.env'],
  ["the head of much output", "cat .env; seq 100000"],
  ["the tail of much output", "seq 100000; cat .env"],
  ["the middle of much output", "seq 50000; cat .env; seq 50000"],
] as const;

test.each(leaks)("P24 a key does not leak through %s", async (_, command) => {
  await using fixture = await openLeakingShell(new Secrets([canary]));

  const everything = await everythingSeen(fixture, command);

  expect(everything).not.toContain(canary);
  if (command.includes(".env")) expect(everything).toContain("[key]");
});

test.each(leaks)("control: without masking it leaks through %s", async (_, command) => {
  await using fixture = await openLeakingShell(new Secrets([]));

  expect(await everythingSeen(fixture, command)).toContain(canary);
});

test("P24 a child process has neither the provider's variable nor a copy of its value", async () => {
  await using fixture = await openLeakingShell(new Secrets([canary]));

  const { output } = await fixture.run("env");

  expect(output).toContain("PATH=");
  expect(output).not.toMatch(/^(PROVIDER_KEY|COPY)=/m);
});

test("P24 a key does not leak through a background task", async () => {
  await using fixture = await openLeakingShell(new Secrets([canary]));
  const { background } = fixture;
  const ended = new Promise((resolve) => background.onEnd(resolve));

  await background.start({ command: "env; cat .env", timeoutMs: undefined });
  await ended;

  const [job] = background.list();
  expect(job?.output).toContain("[key]");
  expect(job?.output).not.toContain(canary);
});

async function openLeakingShell(secrets: Secrets): Promise<ShellFixture> {
  const environment = childEnvironment(
    { PATH: process.env.PATH, PROVIDER_KEY: canary, COPY: `Bearer ${canary}` },
    { names: secrets.mask(canary) === canary ? [] : ["PROVIDER_KEY"], secrets },
  );
  const fixture = await openShell({ environment, secrets });
  await mkdir(fixture.outputFiles.directory);
  await writeFile(join(fixture.directory, ".env"), `KEY=${canary}\n`);
  return fixture;
}

/** What a model, a watcher and a reader of the stored outputs get to see of a command. */
async function everythingSeen(fixture: ShellFixture, command: string): Promise<string> {
  let seen = "";
  const { text } = await callTool(
    bashTool(fixture),
    { command },
    {
      onOutput: (output) => {
        seen += output;
      },
    },
  );
  seen += text;
  const { directory } = fixture.outputFiles;
  for (const name of await readdir(directory)) {
    seen += await readFile(join(directory, name), "utf8");
  }
  return seen;
}
