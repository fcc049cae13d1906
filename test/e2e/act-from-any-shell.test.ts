import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { runNode } from "../support/programs.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";
import { never } from "./promises/scenes.ts";
import { type Said, startTeamProcess } from "./promises/team-process.ts";

const coder = (name: string) =>
  ({ type: "spawn", name, role: "coder", prompt: "Work.", mode: "default" }) as const;

test("requests of a team in another process are listed, approved and denied from this shell", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [
      calls("bash", { command: "touch made.txt" }),
      calls("bash", { command: "touch refused.txt" }),
      says("Done."),
    ],
  });
  await using running = startTeamProcess(wire);
  running.order(coder("alice"));

  await running.said(isQuestion);
  const listed = await troupe(wire, "approvals");
  const first = await waitingId(wire);
  const approved = await troupe(wire, "approve", first.slice(0, 18));
  await running.said(isQuestion, 2);
  const denied = await troupe(wire, "deny", await waitingId(wire), "--reason", "Not that one.");
  await running.said((line) => line.type === "run-end" && line.member === "alice");

  expect(listed.out).toContain("touch made.txt");
  expect(listed.out).toContain(`troupe approve ${first}`);
  expect(approved.out).toBe("Approved alice: bash touch made.txt\n'alice' continues.\n");
  expect(denied.out).toContain("'alice' continues without it.");
  expect(existsSync(join(wire.root, "made.txt"))).toBe(true);
  expect(existsSync(join(wire.root, "refused.txt"))).toBe(false);
  expect(wire.shownTo("alice")).toContain("Not that one.");
});

test("a teammate in another process is stopped from this shell, in the middle of its work", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [never] });
  await using running = startTeamProcess(wire);
  running.order(coder("alice"));
  await wire.requested("alice", 1);

  const { out } = await troupe(wire, "stop", "alice");
  await running.said((line) => line.type === "member-change" && line.status === "shutdown");

  expect(out).toMatch(
    /^'alice' will be stopped by the process that runs the team \(pid \d+\)\.\n$/,
  );
  expect(await wire.statusOf("alice")).toBe("shutdown");
});

test("a log is followed while another process writes it, until Ctrl-C or until the output is closed", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [says("One."), says("Two."), says("Three.")],
  });
  await using running = startTeamProcess(wire);
  running.order(coder("alice"));
  await running.said((line) => line.type === "run-end" && line.member === "alice");
  const [person, head] = [follow(wire), follow(wire)];
  await Promise.all([person.until("says: One."), head.until("says: One.")]);
  head.stopReading();

  running.order({ type: "message", to: "alice", content: "Go on." });
  await person.until("says: Two.");
  const headCode = await head.exited;
  person.interrupt();

  expect(await person.exited).toBe(130);
  expect(headCode).toBe(0);
});

test("mail from another shell has one event, in the log and for live observers, even if the team is killed before reading it", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [never] });
  const isSent = (line: Said) => line.type === "message-sent";
  {
    await using running = startTeamProcess(wire);
    running.order(coder("alice"));
    await wire.requested("alice", 1);

    await troupe(wire, "send", "alice", "from another shell");
    await running.said((line) => isSent(line) && line.preview === "from another shell");
    await running.kill();
  }
  await troupe(wire, "send", "alice", "while nobody runs it");
  {
    await using running = startTeamProcess(wire);
    await running.said((line) => isSent(line) && line.preview === "while nobody runs it");

    expect(running.heard((line) => line.preview === "from another shell")).toBe(0);
  }

  expect(await timesLogged(wire, "from another shell")).toBe(1);
  expect(await timesLogged(wire, "while nobody runs it")).toBe(1);
});

test("control: a duplicated event in the log is detected", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });
  const team = await wire.open();
  await team.prompt("Go.");
  await team.quiet();
  await team.close();
  const path = join(wire.teamDirectory, "events.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n");
  const sent = lines.find((line) => line.includes('"preview":"Go."'));

  await appendFile(path, `${sent}\n`);

  expect(await timesLogged(wire, "Go.")).toBe(2);
});

/** How many `message-sent` events of a message are in the log. */
async function timesLogged(wire: TeamOnWire, preview: string): Promise<number> {
  const text = await readFile(join(wire.teamDirectory, "events.jsonl"), "utf8");
  const events = text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));
  return events.filter((event) => event.type === "message-sent" && event.preview === preview)
    .length;
}

function isQuestion(line: Said): boolean {
  return line.type === "request-change" && line.state === "pending";
}

async function waitingId(wire: TeamOnWire): Promise<string> {
  const { out } = await troupe(wire, "approvals", "--json");
  return JSON.parse(out).waiting[0].id;
}

const program = ["--import", "tsx", "src/cli/main.ts"];

function troupe(wire: TeamOnWire, ...argv: string[]) {
  const place = ["--team-dir", wire.teamDirectory];
  return runNode([...program, ...argv, ...place], { XDG_STATE_HOME: join(wire.root, "state") });
}

/** A process that follows alice's log. */
function follow(wire: TeamOnWire) {
  const argv = [...program, "log", "alice", "-f", "--team-dir", wire.teamDirectory];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit").then(([code]) => code);
  const lines: string[] = [];
  const looks = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    for (const look of [...looks]) look();
  });
  return {
    exited,
    interrupt: () => child.kill("SIGINT"),
    stopReading: () => child.stdout.destroy(),
    until: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (lines.some((line) => line.includes(text))) resolve();
        };
        looks.add(look);
        look();
        void exited.then(() => reject(new Error(`It ended before it said ${text}`)));
      }),
  };
}
