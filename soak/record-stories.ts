import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TeamError } from "../src/errors.ts";
import type { FileFence } from "../src/fence/file-fence.ts";
import { removeTemporaries } from "../src/lib/files.ts";
import { lead, MemberName, newTeamId, type RequestId, TaskId } from "../src/protocol/ids.ts";
import type { TeamRecord } from "../src/protocol/team.ts";
import { StoredRequests } from "../src/requests/stored-requests.ts";
import { FileRoster } from "../src/roster/file-roster.ts";
import { StoredTaskBoard } from "../src/tasks/stored-task-board.ts";
import { ManualClock } from "../src/testing/manual-clock.ts";
import { Machine } from "../test/fence/machines.ts";
import { testSignature } from "./desk.ts";
import type { RecordStory } from "./record-trial.ts";

const bob = MemberName.parse("bob");
const eve = MemberName.parse("eve");
const noWatch = { subscribe: () => () => undefined };

/** Bob claims a task. */
export function claimStory(): RecordStory<StoredTaskBoard> {
  const id = TaskId.parse("1");
  return {
    async open(directory, onDamage) {
      const board = StoredTaskBoard.inFiles({ directory, clock: new ManualClock(), onDamage });
      await board.repair();
      return board;
    },
    async begin(board) {
      await board.create({ subject: "Test the store", created_by: lead });
    },
    async change(board) {
      await board.claim(id, { by: bob });
    },
    async look(board) {
      const { owner, status, version } = await board.get(id);
      return `${status}, owner ${owner}, version ${version}`;
    },
    before: "pending, owner null, version 1",
    after: "in_progress, owner bob, version 2",
    isTidied: true,
    async probe(board) {
      const { owner, version } = await board.get(id);
      const eveClaims = await codeOf(() => board.claim(id, { by: eve }));
      const stale = await codeOf(() =>
        board.update(id, { subject: "stale" }, { by: lead, version: version - 1 }),
      );
      return [
        ...(eveClaims === (owner === bob ? "task-refused" : undefined) ? [] : ["two owners"]),
        ...(stale === "task-conflict" ? [] : ["a stale change was not refused"]),
      ];
    },
  };
}

/** The lead approves a request. */
export function decisionStory(): RecordStory<StoredRequests> {
  let id: RequestId;
  let hash: string;
  const decide = (requests: StoredRequests, state: "approved" | "rejected") => {
    return requests.decide(id, { by: lead, state, hash });
  };
  return {
    async open(directory, onDamage) {
      const clock = new ManualClock();
      const onForgery = onDamage;
      const signature = testSignature;
      const requests = StoredRequests.inFiles({ directory, clock, signature, onDamage, onForgery });
      await requests.repair();
      return requests;
    },
    async begin(requests) {
      const subject = { plan: "Test the store" };
      ({ id, hash } = await requests.open({ type: "plan", from: bob, to: lead, subject }));
    },
    async change(requests) {
      await decide(requests, "approved");
    },
    look: async (requests) => (await requests.get(id)).state,
    before: "pending",
    after: "approved",
    isTidied: true,
    async probe(requests) {
      const wasDecided = (await requests.get(id)).state !== "pending";
      const code = await codeOf(() => decide(requests, "rejected"));
      return code === (wasDecided ? "request-refused" : undefined) ? [] : ["two decisions"];
    },
  };
}

/** Bob joins the team. */
export function rosterStory(): RecordStory<FileRoster> {
  const teamId = newTeamId(new Date(0));
  const join = (roster: FileRoster, name: MemberName) => {
    return roster.update((team) => {
      const members = team.members.filter((member) => member.name !== name);
      return { ...team, members: [...members, { name, role: "tester", status: "idle" }] };
    });
  };
  return {
    async open(directory, onDamage) {
      await removeTemporaries(directory);
      const options = {
        directory,
        clock: new ManualClock(),
        watch: noWatch,
        check: async () => undefined,
        isOurs: () => true,
        vouchFor: (team: TeamRecord) => team,
        onWarning: onDamage,
      };
      return FileRoster.open(options, () => {
        return { format: 1, team_name: "default", team_id: teamId, lead, members: [] };
      });
    },
    begin: async () => undefined,
    async change(roster) {
      await join(roster, bob);
    },
    look: async (roster) => namesIn(await roster.read()),
    before: "",
    after: "bob",
    isTidied: true,
    async probe(roster) {
      const before = namesIn(await roster.read());
      const after = namesIn(await join(roster, eve));
      return after === `${before} eve`.trim() ? [] : [`${before} became ${after}`];
    },
  };
}

function namesIn({ members }: { members: readonly { name: string }[] }): string {
  return members.map(({ name }) => name).join(" ");
}

/** A process becomes the lead; the next one can only do so when it is gone. */
export function fenceStory(): RecordStory<FileFence> {
  const machine = new Machine("here");
  machine.start(101, "1");
  return {
    open: async (directory) => machine.open(directory),
    begin: async () => undefined,
    async change(fence) {
      await fence.acquire();
    },
    async look(fence) {
      const holder = await fence.look();
      return holder ? `held by ${holder.pid} at epoch ${holder.epoch}` : "free";
    },
    before: "free",
    after: "held by 101 at epoch 1",
    // Another contender may be about to use a file that looks like a leftover.
    isTidied: false,
    async probe(fence) {
      const wasHeld = (await fence.look()) !== undefined;
      machine.start(102, "2");
      const second = await codeOf(() => fence.acquire());
      machine.kill(wasHeld ? 101 : 102);
      machine.start(103, "3");
      const third = await codeOf(() => fence.acquire());
      machine.start(101, "1");
      return [
        ...(second === (wasHeld ? "lead-alive" : undefined) ? [] : ["two leads"]),
        ...(third === undefined ? [] : [`nobody can follow a dead lead: ${third}`]),
      ];
    },
  };
}

/** The control: a record that is overwritten in place. */
export function naiveStory(): RecordStory<string> {
  const path = (directory: string) => join(directory, "record.json");
  return {
    open: async (directory) => path(directory),
    begin: async (file) => writeFileSync(file, "before"),
    change: async (file) => writeFileSync(file, "after"),
    look: (file) => readFile(file, "utf8"),
    before: "before",
    after: "after",
    isTidied: true,
    probe: async () => [],
  };
}

async function codeOf(action: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof TeamError) return error.code;
    throw error;
  }
}
