import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { runNode } from "../support/programs.ts";

/** The bundled program, as it is published. */
const program = resolve("dist/cli/main.js");

const used = "used";
const made = "none that can be used, made at the end";
const notOurs = "off (its directory is not this user's alone)";

/** A user with an empty home, and a provider that answers everything. */
async function world() {
  const directory = await temporaryDirectory();
  const provider = await ProviderServer.start();
  provider.replyWith(() => says("Done."));
  const home = join(directory.path, "home");
  const cache = join(home, ".cache/troupe");
  const workspace = join(directory.path, "workspace");
  await mkdir(workspace);
  await mkdir(home);
  const troupe = (argv: string[], env: NodeJS.ProcessEnv = {}) =>
    runNode([program, ...argv], {
      ...providerEnvironment(provider),
      HOME: home,
      XDG_CACHE_HOME: "",
      XDG_STATE_HOME: join(directory.path, "state"),
      ...env,
    });
  return {
    cache,
    home,
    troupe,
    /** A whole run, and what it says of the cache. */
    async run(env?: NodeJS.ProcessEnv, model = "anthropic/scripted") {
      const flags = ["--model", model, "--cwd", workspace, "--debug"];
      const { code, out, err } = await troupe(["run", "Say hi.", ...flags], env);
      expect({ code, out }, err).toEqual({ code: 0, out: "Done.\n" });
      return /^debug: code cache: (.*)$/m.exec(err)?.[1];
    },
    async cacheFile() {
      const [name = "", ...others] = await readdir(cache);
      expect(others).toEqual([]);
      return join(cache, name);
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test("the first run writes a private code cache, and the next ones use it", async () => {
  await using it = await world();

  const states = [await it.run(), await it.run()];
  const file = await it.cacheFile();
  const before = await stat(file);
  states.push(await it.run());

  const after = await stat(file);
  expect(states).toEqual([made, used, used]);
  expect((await stat(it.cache)).mode & 0o777).toBe(0o700);
  expect(before.mode & 0o777).toBe(0o600);
  expect({ inode: after.ino, writtenMs: after.mtimeMs }).toEqual({
    inode: before.ino,
    writtenMs: before.mtimeMs,
  });
});

test.each([
  ["one changed byte", (file: Buffer) => flipped(file, Math.floor(file.length / 2))],
  ["a torn end", (file: Buffer) => file.subarray(0, file.length / 2)],
  ["nothing in it", () => Buffer.alloc(0)],
])("a code cache with %s is not used, and replaced", async (_damage, damage) => {
  await using it = await world();
  await it.run();
  const file = await it.cacheFile();
  await writeFile(file, damage(await readFile(file)));

  const states = [await it.run(), await it.run()];

  expect(states).toEqual([made, used]);
  expect(await it.cacheFile()).toBe(file);
});

test("a code cache that others can write is not used", async () => {
  await using it = await world();
  await it.run();
  const file = await it.cacheFile();

  await chmod(file, 0o620);
  const withOpenFile = await it.run();
  await chmod(it.cache, 0o770);
  const withOpenDirectory = await it.run();
  await chmod(it.cache, 0o700);
  const closedAgain = await it.run();

  expect([withOpenFile, withOpenDirectory, closedAgain]).toEqual([made, notOurs, used]);
});

test.runIf(process.getuid?.() === 0)("another user's code cache is not used", async () => {
  await using it = await world();
  await it.run();
  const file = await it.cacheFile();

  await chown(file, 65534, 65534);
  const withTheirFile = await it.run();
  await chown(it.cache, 65534, 65534);
  const withTheirDirectory = await it.run();

  expect([withTheirFile, withTheirDirectory]).toEqual([made, notOurs]);
});

test("a link in place of the directory is not followed", async () => {
  await using it = await world();
  await mkdir(join(it.home, "elsewhere"));
  await mkdir(join(it.home, ".cache"));
  await symlink(join(it.home, "elsewhere"), it.cache);

  expect(await it.run()).toBe("off (its place is no directory)");
  expect(await readdir(join(it.home, "elsewhere"))).toEqual([]);
});

test("if nothing can be written, the program runs without a code cache", async () => {
  await using it = await world();
  await symlink(join(it.home, "nowhere/at/all"), join(it.home, "broken"));
  await writeFile(join(it.home, "file"), "");

  const broken = { XDG_CACHE_HOME: join(it.home, "broken") };
  expect([await it.run(broken), await it.run(broken)]).toEqual([made, made]);
  const inFile = await it.run({ XDG_CACHE_HOME: join(it.home, "file") });
  expect(inFile).toBe("off (its directory cannot be read)");
});

test("TROUPE_NO_CODE_CACHE turns it off", async () => {
  await using it = await world();

  const state = await it.run({ TROUPE_NO_CODE_CACHE: "1" });

  expect(state).toBe("off (TROUPE_NO_CODE_CACHE is set)");
  expect(await readdir(it.home)).not.toContain(".cache");
});

test("each command caches the code that it uses", async () => {
  await using it = await world();
  await it.run();
  const inWorkspace = ["--team-dir", join(it.home, "../workspace/.team")];

  const { code } = await it.troupe(["send", "lead", "hi", ...inWorkspace]);

  expect(code).toBe(0);
  const files = await readdir(it.cache);
  const sizes = await Promise.all(
    files.map(async (name) => (await stat(join(it.cache, name))).size),
  );
  const sizeOf = (kind: string) =>
    sizes[files.findIndex((name) => name.includes(`-${kind}-`))] ?? 0;
  expect(sizeOf("send")).toBeGreaterThan(0);
  expect(sizeOf("send")).toBeLessThan(sizeOf("run") / 2);
  // The first line of a file names the scripts that were loaded: `send` does with one.
  const file = await readFile(join(it.cache, files.find((name) => name.includes("-send-")) ?? ""));
  const scripts: [string, number][] = JSON.parse(file.toString("latin1", 0, file.indexOf("\n")));
  expect(scripts.map(([name]) => name)).toEqual(["program.js"]);
});

test("code of another provider is added to the cache, and the rest is kept", async () => {
  await using it = await world();
  const inodes: number[] = [];
  for (const model of ["anthropic", "openai", "anthropic", "openai"]) {
    await it.run({}, `${model}/scripted`);
    inodes.push((await stat(await it.cacheFile())).ino);
  }

  const [first, both, ...later] = inodes;
  expect(first).not.toBe(both);
  expect(later).toEqual([both, both]);
});

test("a command that uses little of the program, or fails, writes no code cache", async () => {
  await using it = await world();

  const ends = [
    await it.troupe(["--version"]),
    await it.troupe(["--help"]),
    await it.troupe(["run", "--help"]),
    await it.troupe(["team", "--team-dir", join(it.home, "none")]),
    await it.troupe(["run", "Say hi.", "--model", "nobody/none", "--cwd", it.home]),
  ];

  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 2, 2]);
  expect(await readdir(it.home)).not.toContain(".cache");
});

test("the oldest files are removed", async () => {
  await using it = await world();
  await mkdir(it.cache, { recursive: true, mode: 0o700 });
  const old = Array.from({ length: 30 }, (_, n) => `code-0.0.${n}.cache`);
  for (const name of [...old, "notes.txt"]) await writeFile(join(it.cache, name), "");

  expect([await it.run(), await it.run()]).toEqual([made, used]);

  const left = await readdir(it.cache);
  expect(left.filter((name) => name.startsWith("code-"))).toHaveLength(24);
  expect(left).toContain("notes.txt");
});

function flipped(file: Buffer, at: number): Buffer {
  const damaged = Buffer.from(file);
  damaged.writeUInt8(damaged.readUInt8(at) ^ 0xff, at);
  return damaged;
}
