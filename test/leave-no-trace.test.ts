import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";

const vitest = join(import.meta.dirname, "../node_modules/vitest/vitest.mjs");
const globalSetup = join(import.meta.dirname, "support/leave-no-trace.ts");

const imports = `
  import { spawn } from "node:child_process";
  import { chmodSync, mkdtempSync, rmSync } from "node:fs";
  import { homedir, tmpdir } from "node:os";
  import { test } from "vitest";`;

test.each([
  ["a file", `mkdtempSync(tmpdir() + "/left-")`, /file left-\w+: empty/],
  [
    "a process",
    `spawn("sleep", ["5"], { detached: true, stdio: "ignore" }).unref()`,
    /process \d+: sleep 5/,
  ],
  [
    "another mode",
    `chmodSync(homedir() + "/shared", 0o700)`,
    /mode of .*shared: 755 .* is now 700/,
  ],
])("a run whose tests leave %s fails and says so", async (_, statement, trace) => {
  const { status, stderr } = await runTest(statement);

  const [, pid] = /process (\d+): sleep/.exec(stderr) ?? [];
  if (pid) process.kill(Number(pid));
  expect(stderr).toMatch(trace);
  expect(status).toBe(1);
});

test("a run whose tests remove everything they create passes", async () => {
  const { status, stderr } = await runTest(
    `rmSync(mkdtempSync(tmpdir() + "/kept-"), { recursive: true })`,
  );

  expect(stderr).not.toContain("traces");
  expect(status).toBe(0);
});

async function runTest(statement: string) {
  await using home = await temporaryDirectory();
  await mkdir(join(home.path, "shared"), { mode: 0o755 });
  await writeFile(
    join(home.path, "it.test.ts"),
    `${imports}\ntest("it", () => { ${statement}; });`,
  );
  const config = `export default { test: { globalSetup: ${JSON.stringify(globalSetup)} } };`;
  await writeFile(join(home.path, "vitest.config.mjs"), config);
  return spawnSync(process.execPath, [vitest, "run", "--root", home.path], {
    encoding: "utf8",
    env: { ...process.env, HOME: home.path },
  });
}
