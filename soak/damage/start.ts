import { setTimeout } from "node:timers/promises";
import { TeamError } from "../../src/errors.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { Team } from "../../src/team/team.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import { entriesNewestFirst } from "../../src/team/view/read-pages.ts";
import { members } from "./parts.ts";
import { allow, type RichTeam } from "./rich-team.ts";

/** The result of a start after a damage. */
export type Start =
  | { type: "rested" }
  /** The start was refused with a reason. */
  | { type: "declined"; reason: string }
  | { type: "crashed"; reason: string }
  | { type: "hung" };

interface Started {
  start: Start;
  /** All warnings to the person. */
  said: string;
}

const patienceMs = 60_000;

export async function startProcess(team: RichTeam): Promise<Started> {
  const options = ["--background-wait", "0", "--output", "stream-json"];
  const { code, out, err } = await team.run(team.argv("letter-again", options), patienceMs);
  return { start: startOf(code, err), said: err + setAsideIn(out) };
}

function startOf(code: number | undefined, err: string): Start {
  if (code === undefined) return { type: "hung" };
  if (code === 0 || code === 3) return { type: "rested" };
  const isExplained = /^error: /m.test(err) && !/^ +at /m.test(err);
  return { type: isExplained ? "declined" : "crashed", reason: `${code}: ${err.slice(-400)}` };
}

function setAsideIn(out: string): string {
  return [...out.matchAll(/"line-set-aside".*?"member":"([a-z]+)"/g)]
    .map(([, name]) => `line-set-aside of ${name}`)
    .join("\n");
}

export async function startHere(team: RichTeam): Promise<Started> {
  const said: string[] = [];
  const attempt = live(team, (line) => said.push(line)).then(
    (): Start => ({ type: "rested" }),
    (error: unknown): Start => {
      const reason = String(error);
      return { type: error instanceof TeamError ? "declined" : "crashed", reason };
    },
  );
  const patience = new AbortController();
  const timeUp = setTimeout(patienceMs, undefined, { signal: patience.signal });
  const start = await Promise.race([attempt, timeUp.then((): Start => ({ type: "hung" }))]);
  patience.abort();
  return { start, said: said.join("\n") };
}

async function live(team: RichTeam, say: (line: string) => void): Promise<void> {
  const { PATH, ...env } = team.environment;
  await using opened = await Team.open({
    place: team.place({ onWarning: say }),
    env: { PATH, ...env },
    cwd: team.root,
    model: "anthropic/scripted",
    allow,
    approvals: { unattended: () => "nobody can be asked" },
  });
  const closed = new AbortController();
  const heard = hear(opened.events(closed.signal), say);
  await opened.prompt("letter-again");
  await opened.quiet({ backgroundWaitMs: 0 });
  closed.abort();
  await heard;
}

async function hear(events: AsyncIterable<AgentEvent>, say: (line: string) => void): Promise<void> {
  for await (const event of events) {
    if (event.type === "warning") say(event.message);
    if (event.type === "line-set-aside") say(`line-set-aside of ${event.member}: ${event.reason}`);
  }
}

/** The warnings of a reader of all transcripts: a start reads only their ends. */
export async function readThrough(team: RichTeam): Promise<string> {
  const said: string[] = [];
  const place = team.place({ onWarning: (message) => said.push(message) });
  const view = new FileTeamView(place);
  for (const name of members) {
    for await (const _ of entriesNewestFirst(view, MemberName.parse(name)));
  }
  return said.join("\n");
}
