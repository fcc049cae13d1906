import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { loadTeamKey, openTeamKey, teamKeyPath } from "../../src/keys/team-key.ts";
import { newTeamId } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const teamId = newTeamId(new Date(0));

test("the key is in the user's state directory by default", () => {
  const place = { teamId, keyFile: undefined, stateHome: undefined, home: "/home/ada" };

  expect(teamKeyPath(place)).toBe(`/home/ada/.local/state/troupe/keys/${teamId}`);
  expect(teamKeyPath({ ...place, stateHome: "/state" })).toBe(`/state/troupe/keys/${teamId}`);
  expect(teamKeyPath({ ...place, stateHome: "state" })).toBe(teamKeyPath(place));
  expect(teamKeyPath({ ...place, keyFile: "/run/key" })).toBe("/run/key");
  expect(teamKeyPath({ ...place, keyFile: "" })).toBe(teamKeyPath(place));
});

test("a key is created once and then loaded", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "troupe", "keys", teamId);
  expect(await loadTeamKey({ path })).toBeUndefined();

  const created = await openTeamKey({ path });
  const loaded = await openTeamKey({ path });

  expect([created.origin, loaded.origin]).toEqual(["created", "loaded"]);
  expect(loaded.signature.verify("hello", created.signature.sign("hello"))).toBe(true);
  expect(await readFile(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  const key = await loadTeamKey({ path });
  expect(hmacSignature(key ?? new Uint8Array()).sign("x")).toBe(created.signature.sign("x"));
});

test("processes that open a missing key at once agree on one", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "key");

  const keys = await Promise.all(Array.from({ length: 20 }, () => openTeamKey({ path })));

  expect(new Set(keys.map(({ signature }) => signature.sign("x"))).size).toBe(1);
  expect(keys.filter(({ origin }) => origin === "created")).toHaveLength(1);
});

test("two teams have two keys", async () => {
  await using directory = await temporaryDirectory();

  const a = await openTeamKey({ path: join(directory.path, "a") });
  const b = await openTeamKey({ path: join(directory.path, "b") });

  expect(b.signature.verify("hello", a.signature.sign("hello"))).toBe(false);
});

test.each(["000", "022", "777"])("with umask %s the key is private", async (umask) => {
  await using directory = await temporaryDirectory();
  const keys = join(directory.path, "keys");
  const before = process.umask(Number.parseInt(umask, 8));
  try {
    await openTeamKey({ path: join(keys, "key") });
  } finally {
    process.umask(before);
  }

  expect(await modeOf(keys)).toBe(0o700);
  expect(await modeOf(join(keys, "key"))).toBe(0o600);
});

test("a key that others can read causes a warning with the command to type, and keeps its mode", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "key");
  const { signature } = await openTeamKey({ path });
  await chmod(path, 0o644);

  const loaded = await openTeamKey({ path });

  expect(await modeOf(path)).toBe(0o644);
  expect(loaded.warning).toContain(`chmod 600 ${path}`);
  expect(loaded.signature.sign("x")).toBe(signature.sign("x"));
});

test("a key that others can write is refused with the command to type, and keeps its mode", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "key");
  await openTeamKey({ path });
  await chmod(path, 0o660);

  await expect(openTeamKey({ path })).rejects.toMatchObject({
    code: "key-unavailable",
    hint: expect.stringContaining(`chmod 600 ${path}`),
  });
  expect(await modeOf(path)).toBe(0o660);
});

test.each([0o644, 0o755])(
  "a foreign file or directory named as the key keeps its mode %o",
  async (mode) => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, "file");
    const folder = join(directory.path, "folder");
    await writeFile(file, "something of somebody's\n");
    await mkdir(folder);
    for (const path of [file, folder]) {
      await chmod(path, mode);

      await expect(openTeamKey({ path })).rejects.toMatchObject({ code: "key-unavailable" });

      expect(await modeOf(path)).toBe(mode);
    }
  },
);

test("a pipe named as the key is rejected, and keeps its mode", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "pipe");
  execFileSync("mkfifo", ["-m", "644", path]);

  await expect(loadTeamKey({ path })).rejects.toMatchObject({ code: "key-unavailable" });

  expect(await modeOf(path)).toBe(0o644);
});

test("an existing directory keeps its permissions", async () => {
  await using directory = await temporaryDirectory();
  await chmod(directory.path, 0o755);

  await openTeamKey({ path: join(directory.path, "key") });

  expect(await modeOf(directory.path)).toBe(0o755);
});

test("a key that cannot be stored is kept in memory, with a warning that says why", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "file"), "");
  const path = join(directory.path, "file", "key");

  const key = await openTeamKey({ path });

  expect(key).toMatchObject({
    origin: "memory",
    warning: expect.stringMatching(/(?:EEXIST|ENOTDIR).*TROUPE_KEY_FILE/s),
  });
  expect(key.signature.verify("hello", key.signature.sign("hello"))).toBe(true);
  expect(await loadTeamKey({ path })).toBeUndefined();
});

test.each(["", "secret\n", "0".repeat(63), `${"0".repeat(64)}\nmore`])(
  "a malformed key %j is an error with a hint, and is left unchanged",
  async (text) => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, "key");
    await writeFile(path, text);

    await expect(openTeamKey({ path })).rejects.toMatchObject({
      code: "key-unavailable",
      message: expect.stringContaining(path),
      hint: expect.stringContaining("remove it"),
    });
    expect(await readFile(path, "utf8")).toBe(text);
  },
);

test("a key that exists but cannot be read is an error, not a new key", async () => {
  await using directory = await temporaryDirectory();
  const folder = join(directory.path, "folder");
  await mkdir(folder);
  const dangling = join(directory.path, "dangling");
  await symlink(join(directory.path, "nowhere"), dangling);

  for (const path of [folder, dangling]) {
    await expect(openTeamKey({ path })).rejects.toMatchObject({
      code: "key-unavailable",
      hint: expect.stringContaining("TROUPE_KEY_FILE"),
    });
  }
});

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
