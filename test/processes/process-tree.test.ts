import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { listProcesses, parsePsTable, startOfProcess } from "../../src/processes/process-list.ts";
import { selectTree } from "../../src/processes/process-tree.ts";

test("a tree is the shell, its group, its descendants, and all processes with the marker", () => {
  const row = (pid: number, parent: number, group: number, marker?: string) => {
    return { pid, parent, group, marker, start: undefined };
  };
  const rows = [
    row(1, 0, 1),
    row(15, 14, 15), // a grandchild that is listed before its parent
    row(10, 2, 10),
    row(11, 1, 10), // orphaned in the group
    row(14, 10, 14), // a child with a session of its own
    row(16, 1, 16, "abc"), // orphaned with a session of its own
    row(17, 16, 16),
    row(18, 1, 16), // orphaned in that session, without its environment
    row(20, 2, 20), // another command
    row(21, 20, 20, "other"),
  ];

  const tree = selectTree(rows, { group: 10, marker: "abc" });

  expect(tree.map(({ pid }) => pid).sort()).toEqual([10, 11, 14, 15, 16, 17, 18]);
});

test("the table of ps is read, with environments behind the commands", () => {
  const table = [
    "    1     0     1 Ss   /sbin/launchd",
    "  501   400   501 S    sleep 1000 PATH=/bin TROUPE_CALL=abc HOME=/",
    "  502   501   501 Z    (bash)",
    "  503     1   503 S+   env TROUPE_CALL=no vim PATH=/bin TROUPE_CALL=other",
    "",
  ].join("\n");

  expect(parsePsTable(table)).toEqual([
    { pid: 1, parent: 0, group: 1, start: undefined, marker: undefined },
    { pid: 501, parent: 400, group: 501, start: undefined, marker: "abc" },
    { pid: 503, parent: 1, group: 503, start: undefined, marker: "other" },
  ]);
});

test.runIf(process.platform === "linux")(
  "with a start, only processes that are not older are listed",
  async () => {
    using child = startChild();
    const start = startOfProcess(child.pid);

    const all = (await listProcesses()).map(({ pid }) => pid);
    const since = (await listProcesses(start)).map(({ pid }) => pid);

    expect(all).toEqual(expect.arrayContaining([1, child.pid]));
    expect(since).toContain(child.pid);
    expect(since).not.toContain(1);
  },
);

function startChild(): Disposable & { pid: number } {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  if (child.pid === undefined) throw new Error("sleep could not be started");
  return { pid: child.pid, [Symbol.dispose]: () => child.kill("SIGKILL") };
}
