import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { user } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runNode } from "../support/programs.ts";
import { enlist, member, openStore } from "../support/team.ts";

/** The bundled program, as it is published. */
const program = "dist/cli/main.js";

test("the bundle exists", () => {
  expect(existsSync(program), "run `npm run build` first").toBe(true);
});

test("another process sees the running team, and writes to it", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));

  const sent = await troupe(directory.path, "send", "alice", "from another shell");
  const inbox = await troupe(directory.path, "inbox", "alice", "--json");
  const team = await troupe(directory.path, "team");

  expect(sent).toEqual({ code: 0, out: "Sent message to alice\n", err: "" });
  expect(JSON.parse(inbox.out)).toMatchObject({
    unread: [{ from: "user", content: "from another shell", state: "queued" }],
  });
  expect(team.out).toBe(
    "Team: default\n  lead: idle\n    default\n  alice (coder): idle\n    default  1 unread\n",
  );
});

test("errors go to standard error, with exit code 2 for wrong usage", async () => {
  await using directory = await temporaryDirectory();

  const missing = await troupe(directory.path, "team");
  const unknown = await runNode([program, "tem"]);

  expect(missing).toMatchObject({ code: 2, out: "", err: expect.stringContaining("no team") });
  expect(unknown).toMatchObject({ code: 2, out: "", err: expect.stringContaining("Unknown") });
});

test("a reader that stops early, such as head, is not a failure", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const content = "x".repeat(100_000);
  for (let n = 0; n < 20; n++) await store.send("lead", { type: "message", from: user, content });
  const child = spawn(
    process.execPath,
    [program, "inbox", "--json", "--team-dir", join(directory.path, ".team")],
    { env: environment(directory.path), stdio: ["ignore", "pipe", "pipe"] },
  );

  child.stdout.once("data", () => child.stdout.destroy());
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, "exit");

  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("a file system failure is a message and a hint, without a stack trace", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  await enlist(store, member("alice"));
  const mailbox = join(directory.path, ".team", "inbox", "alice.jsonl");
  await mkdir(mailbox);

  const { code, out, err } = await troupe(directory.path, "send", "alice", "hi");

  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^error: .*illegal operation on a directory/);
  expect(err).toContain(mailbox);
  expect(err.trim().split("\n")).toHaveLength(2);
});

test("--version prints the package's version", async () => {
  expect((await runNode([program, "--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

function troupe(root: string, ...argv: string[]) {
  return runNode([program, ...argv, "--team-dir", join(root, ".team")], environment(root));
}

function environment(root: string): NodeJS.ProcessEnv {
  return { ...process.env, XDG_STATE_HOME: join(root, "state") };
}
