import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  parseProcStat,
  parsePs,
  sharePids,
  systemProcesses,
} from "../../src/lib/process-identity.ts";

test("a process has one identity, in every call", async () => {
  const self = await systemProcesses.self();

  expect(self.pid).toBe(process.pid);
  expect(self.process_start).toBe(await systemProcesses.startOf(process.pid));
  expect(sharePids(self, await systemProcesses.self())).toBe(true);
});

test("pids of another boot or another container cannot be looked up", async () => {
  const self = await systemProcesses.self();

  expect(sharePids(self, { ...self, boot_id: "another" })).toBe(false);
  expect(sharePids(self, { ...self, pid_namespace: "another" })).toBe(false);
});

test("a process that has ended has no start time", async () => {
  const child = spawn("sleep", ["1000"]);
  const exited = once(child, "exit");
  await once(child, "spawn");
  expect(await startOf(child.pid)).toMatch(/./);

  child.kill("SIGKILL");
  await exited;

  expect(await startOf(child.pid)).toBeUndefined();
});

test.runIf(process.platform === "linux")("a zombie has no start time", async () => {
  // exec turns the shell into a program that never asks how the shell's child ended.
  const program = "exec 3<&0; cat <&3 & echo $!; exec sleep 1000";
  const parent = spawn("sh", ["-c", program], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: parent.stdout }), "line");
  const child = Number(line);
  await statIncludes(parent.pid, "(sleep)");
  expect(await startOf(child)).toMatch(/./);

  parent.stdin.end();
  await statIncludes(child, ") Z ");

  expect(await startOf(child)).toBeUndefined();
  parent.kill("SIGKILL");
});

test("a program's name cannot imitate another start time", () => {
  const after = "S 1 2 3 0 -1 4194304 118 0 0 0 0 0 0 0 20 0 1 0 121978 3133440 364";

  expect(parseProcStat(`42 (sleep) ${after}`)).toBe("121978");
  expect(parseProcStat(`42 (a) Z 1 (b) c) ${after}`)).toBe("121978");
  expect(parseProcStat(`42 (sleep) ${after.replace("S", "Z")}`)).toBeUndefined();
});

test("the output of ps on macOS is read the same way", () => {
  expect(parsePs("S+   Mon Jan  5 10:00:00 2026\n")).toBe("Mon Jan 5 10:00:00 2026");
  expect(parsePs("Z    Mon Jan  5 10:00:00 2026\n")).toBeUndefined();
  expect(parsePs("")).toBeUndefined();
});

async function statIncludes(pid: number | undefined, text: string): Promise<void> {
  while (!(await readFile(`/proc/${pid}/stat`, "utf8")).includes(text)) await setImmediate();
}

async function startOf(pid: number | undefined): Promise<string | undefined> {
  return systemProcesses.startOf(pid ?? 0);
}
