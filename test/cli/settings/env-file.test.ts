import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { troupeIn } from "../troupe.ts";

const key = "sk-from-a-file-0123456789";

async function world() {
  const directory = await temporaryDirectory();
  const server = await ProviderServer.start({ strict: true });
  await writeFile(
    join(directory.path, "keys.env"),
    `ANTHROPIC_API_KEY=${key}\nANTHROPIC_BASE_URL=${server.url}\nTROUPE_MODEL=anthropic/scripted\n`,
  );
  return {
    root: directory.path,
    server,
    run: (...argv: string[]) => {
      const given = ["run", "Go.", "--env-file", "keys.env", ...argv];
      return troupeIn({ root: directory.path, env: {} }, ...given);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test("P24 a key from --env-file reaches only the provider", async () => {
  await using it = await world();
  it.server.reply(calls("bash", { command: "env; cat keys.env" }), says(`The key is ${key}.`));

  const { code, out, err } = await it.run("--permission-mode", "bypassPermissions");

  expect(code).toBe(0);
  expect(out).toEqual(["The key is [key]."]);
  expect(it.server.requests[0]?.headers["x-api-key"]).toBe(key);
  const transcript = await readFile(join(it.root, ".team/transcripts/lead.jsonl"), "utf8");
  expect(transcript).toContain("ANTHROPIC_API_KEY=[key]");
  for (const text of [transcript, err.join("\n"), it.server.requests[1]?.text ?? key]) {
    expect(text).not.toContain(key);
  }
});

test("P25 a file of more than 2 MiB is refused before anything starts, and one of 2 MiB is read", async () => {
  await using it = await world();
  it.server.reply(says("Done."));
  const path = join(it.root, "keys.env");
  const keys = await readFile(path, "utf8");
  const filledTo = (bytes: number) => `${keys}#${"x".repeat(bytes - keys.length - 1)}`;

  await writeFile(path, filledTo(2 ** 21 + 1));
  const refused = await it.run();
  await writeFile(path, filledTo(2 ** 21));
  const taken = await it.run();

  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err.join("\n")).toContain("more than 2097152 bytes");
  expect(taken).toMatchObject({ code: 0, out: ["Done."] });
});

test("--debug prints where a run's files are and where each setting comes from, without keys", async () => {
  await using it = await world();
  it.server.reply(says("Done."));
  await writeFile(join(it.root, "troupe.json"), '{ "max-turns": 7 }');

  const { code, out, err } = await it.run("--debug", "--deny", `bash(echo ${key})`);

  expect({ code, out }).toEqual({ code: 0, out: ["Done."] });
  expect(err).toContain(`debug: workspace ${it.root}`);
  expect(err).toContain(`debug: team ${join(it.root, ".team")}`);
  expect(err).toContain('debug: model "anthropic/scripted", by TROUPE_MODEL');
  expect(err).toContain(`debug: max-turns 7, by ${join(it.root, "troupe.json")}`);
  expect(err.join("\n")).toContain("bash(echo [key])");
  expect(err.join("\n")).not.toContain(key);
});
