import fc from "fast-check";
import { expect, test } from "vitest";
import { noActivity } from "../../../src/lib/activity.ts";
import type { RoomChange, RoomState } from "../../../src/protocol/dashboard.ts";
import { lead } from "../../../src/protocol/ids.ts";
import { Task } from "../../../src/protocol/task.ts";
import type { RoomEvent } from "../../../src/server/room/changes.ts";
import { windowSize } from "../../../src/server/room/message-window.ts";
import { RoomRecords } from "../../../src/server/room/records.ts";
import { memberView, noPast } from "../../../src/server/room/room-members.ts";
import { taskView } from "../../../src/server/room/task-view.ts";
import {
  changedRoom,
  type KnownRoom as PageRoom,
  roomOf,
} from "../../../web/src/state/known-room.ts";

/** Something that happens in a room. */
type Happening =
  | { type: "member"; name: number; unread: number }
  | { type: "task"; id: number; subject: string }
  | { type: "request"; id: number; isOpen: boolean }
  | { type: "message"; id: number; second: number; isSeen: boolean }
  | { type: "burst"; from: number }
  | { type: "forget"; id: number }
  | { type: "running"; pid: number | null }
  | { type: "problem"; text: string }
  /** The page takes what there is. */
  | { type: "read" }
  /** The page asks, and the connection is lost before the answer arrives. */
  | { type: "cut" };

const small = fc.nat({ max: 12 });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ type: fc.constant("member" as const), name: small, unread: small }),
  fc.record({ type: fc.constant("task" as const), id: small, subject: fc.string() }),
  fc.record({ type: fc.constant("request" as const), id: small, isOpen: fc.boolean() }),
  fc.record({
    type: fc.constant("message" as const),
    id: fc.nat({ max: 60 }),
    second: fc.nat({ max: 59 }),
    isSeen: fc.boolean(),
  }),
  fc.record({ type: fc.constant("burst" as const), from: fc.nat({ max: 3_000 }) }),
  fc.record({ type: fc.constant("forget" as const), id: small }),
  fc.record({ type: fc.constant("running" as const), pid: fc.option(small) }),
  fc.record({ type: fc.constant("problem" as const), text: fc.string() }),
  fc.constant({ type: "read" as const }),
  fc.constant({ type: "read" as const }),
  fc.constant({ type: "cut" as const }),
);

const stories = fc.array(happening, { maxLength: 60 });

test("a page that resumes after any cuts shows what a new page shows", () => {
  fc.assert(
    fc.property(stories, (story) => isUpToDate(story, fromLastId)),
    { numRuns: 300 },
  );
});

test("control: a page that resumed from the last sent revision, received or not, is detected", () => {
  const result = fc.check(
    fc.property(stories, (story) => isUpToDate(story, fromLastSent)),
    { numRuns: 300 },
  );

  expect(result.failed).toBe(true);
});

/** What a page names as the last it has when it comes again. */
type Resume = (ids: { taken: Place; sent: Place }) => Place;
interface Place {
  epoch: string;
  revision: number;
}

const fromLastId: Resume = ({ taken }) => taken;
const fromLastSent: Resume = ({ sent }) => sent;

function isUpToDate(story: readonly Happening[], resume: Resume): boolean {
  const records = new RoomRecords({
    ...{ epoch: "a", version: "1", directory: "/d", team: null, obstacle: null },
  });
  let taken: Place = { epoch: "", revision: 0 };
  let sent = taken;
  let page: PageRoom | undefined;
  const read = (isLost: boolean) => {
    const answer = answerTo(records, sent);
    sent = { epoch: records.epoch, revision: records.revision };
    if (isLost) {
      sent = resume({ taken, sent });
      return;
    }
    if (answer.event === "state") page = roomOf(answer.data);
    else if (page && answer.event === "change") page = changedRoom(page, answer.data);
    taken = sent;
  };
  for (const each of story) {
    if (each.type === "read" || each.type === "cut") read(each.type === "cut");
    else happen(records, each);
  }
  read(false);
  return page !== undefined && shownBy(page) === shownBy(roomOf(records.state()));
}

/** As a connection decides what to send. */
function answerTo(
  records: RoomRecords,
  { epoch, revision }: Place,
):
  | Pick<Extract<RoomEvent, { event: "state" }>, "event" | "data">
  | { event: "change"; data: RoomChange } {
  if (epoch !== records.epoch) return { event: "state", data: records.state() };
  return { event: "change", data: records.since(revision) };
}

function shownBy({ members, tasks, requests, ...rest }: PageRoom): string {
  return JSON.stringify([rest, [...members], [...tasks], [...requests]]);
}

function happen(records: RoomRecords, each: Exclude<Happening, { type: "read" | "cut" }>): void {
  switch (each.type) {
    case "member":
      records.set(records.members, aMember(`m${each.name}`, each.unread));
      break;
    case "task":
      records.set(records.tasks, aTask(String(each.id), each.subject));
      break;
    case "request":
      records.set(records.requests, aRequest(String(each.id), each.isOpen));
      break;
    case "message":
      records.set(records.messages, aMessage(`${each.id}`, each.second, each.isSeen));
      break;
    case "burst":
      for (let index = 0; index < windowSize / 3; index++) {
        records.set(
          records.messages,
          aMessage(`b${each.from + index}`, (each.from + index) % 60, false),
        );
      }
      break;
    case "forget": {
      const kept = records.tasks.values().filter(({ id }) => id !== String(each.id + 1));
      records.keepOnly(records.tasks, new Set(kept.map(({ id }) => id)));
      break;
    }
    case "running":
      records.setRunning(each.pid === null ? null : { pid: each.pid, host: "here" });
      break;
    case "problem":
      records.addProblem(each.text);
  }
}

const at = "2026-01-01T09:00:00.000Z";

function aMember(name: string, unread: number) {
  return memberView({
    ...{
      name,
      member: undefined,
      activity: noActivity,
      past: noPast,
      usage: undefined,
      mode: undefined,
    },
    ...{ model: null, window: null, asked: undefined, unread, isTeamRunning: true },
  });
}

function aTask(id: string, subject: string): RoomState["tasks"][number] {
  const times = { created_at: at, updated_at: at };
  const parts = { status: "pending", created_by: lead, version: 1, ...times };
  return taskView(Task.parse({ id: String(Number(id) + 1), subject: `s${subject}`, ...parts }));
}

function aRequest(id: string, isOpen: boolean): RoomState["requests"][number] {
  return {
    ...{ id, type: "plan", from: "alice", to: "user", created_at: at, hash: "", tool: null },
    ...{
      state: isOpen ? "pending" : "approved",
      is_open: isOpen,
      summary: null,
      shown: "",
      diff: null,
    },
    ...{ reason: null, rule: null, decision: null },
  };
}

function aMessage(id: string, second: number, isSeen: boolean): RoomState["messages"][number] {
  const sent_at = at.replace("00.000", `${String(second).padStart(2, "0")}.000`);
  return {
    ...{ id, type: "message", from: "user", to: "alice", sent_at, text: "", is_cut: false },
    ...{ state: isSeen ? "delivered" : "queued", seen_at: isSeen ? at : null, facts: {} },
  };
}
