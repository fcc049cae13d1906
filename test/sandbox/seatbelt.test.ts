import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Seatbelt } from "../../src/sandbox/seatbelt.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** What macOS is told to start; it is macOS alone that can. */
async function confined(network: "off" | readonly string[]) {
  await using directory = await temporaryDirectory();
  const workspace = join(directory.path, "work");
  await mkdir(join(workspace, ".git"), { recursive: true });
  await using sandbox = new Seatbelt({
    bash: "/bin/bash",
    confinement: {
      ...{ writable: [workspace], readable: [], hidden: [], network },
      ...{ temporary: directory.path, home: "/Users/ada" },
      protected: async () => [join(workspace, ".git")],
    },
  });
  return { ...(await sandbox.confine({ argv: ["/bin/ls", "-l"], cwd: workspace })), workspace };
}

test("a program is started by sandbox-exec with a profile for its workspace", async () => {
  const { argv, workspace } = await confined("off");

  expect(argv.slice(0, 2)).toEqual(["/usr/bin/sandbox-exec", "-p"]);
  expect(argv[2]).toContain(`(allow file-read* file-write* (subpath "${workspace}"))`);
  expect(argv[2]).toContain(`(deny file-write* (subpath "${workspace}/.git"))`);
  expect(argv.slice(-3)).toEqual(["bash", "/bin/ls", "-l"]);
});

test("with a list of hosts, the profile permits the port that the program is told of", async () => {
  const { argv } = await confined(["npm"]);

  const [, port] = /remote ip "localhost:(\d+)"/.exec(String(argv[2])) ?? [];
  expect(argv).toContain(`HTTPS_PROXY=http://127.0.0.1:${port}`);
});

test("a program counts as started only if the sandbox has reached it", async () => {
  const { outcome } = await confined("off");

  expect(outcome(["checked\n"])).toEqual({ started: true });
  expect(outcome([""])).toEqual({ started: false });
});
