import { firstCharacters } from "../../lib/cut-text.ts";
import type { AgentEvent, StoredEvent } from "../../protocol/events.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { entriesNewestFirst } from "../../team/view/read-pages.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import { oneLine } from "../render/one-line.ts";
import { shown } from "../render/shown.ts";
import { marked } from "./marked.ts";

interface Since {
  /** The number of the last event that the client knows of. */
  last: number;
  wasRunning: boolean;
}

export interface NewestChanges {
  events: readonly StoredEvent[];
  /** The number of the newest event. */
  newest: number;
  /** Set where the team was started or has stopped. */
  runs: boolean | undefined;
}

/** What has happened since, as far as the events are kept; undefined where it is nothing of interest. */
export async function changesSince(
  view: TeamView,
  { last, wasRunning }: Since,
): Promise<NewestChanges | undefined> {
  const isRunning = (await view.lead()) !== undefined;
  const recent = (await view.recentEvents(mostRecent)).filter(({ seq }) => seq > last);
  const events = recent.filter(({ event }) => lineOf(event) !== undefined);
  const runs = isRunning === wasRunning ? undefined : isRunning;
  if (events.length === 0 && runs === undefined) return undefined;
  return { events, newest: recent.at(-1)?.seq ?? last, runs };
}

/** The events of a few seconds, with the deltas of texts among them. */
const mostRecent = 1_000;

export async function changesText(
  view: TeamView,
  { events, newest, runs }: NewestChanges,
): Promise<string> {
  const lines = events.slice(-mostLines).flatMap(({ event }) => lineOf(event) ?? []);
  const left = events.length - lines.length;
  if (left > 0) lines.unshift(`(${left} earlier changes are left out)`);
  const ended = new Set(
    events.flatMap(({ event }) => (event.type === "run-end" && event.member ? [event.member] : [])),
  );
  const words = await Promise.all(
    [...ended].slice(-mostWords).map((name) => lastWords(view, name)),
  );
  return [
    `For what comes next, call wait_for_change with after ${newest}.`,
    ...(runs === undefined ? [] : [runs ? "The team was started." : "The team has stopped."]),
    ...(lines.length === 0 ? [] : [marked("team-data", { of: "changes" }, lines.join("\n"))]),
    ...words.flatMap((text) => text ?? []),
  ].join("\n");
}

const mostLines = 100;
const mostWords = 4;

/** The last text that a member said, and did not only think. */
async function lastWords(view: TeamView, member: MemberName): Promise<string | undefined> {
  let looks = 0;
  for await (const entry of entriesNewestFirst(view, member)) {
    if (++looks > mostLooks || entry.type === "run-start") return undefined;
    if (entry.type !== "reply") continue;
    const said = entry.blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const text = shown(firstCharacters(said.join("\n").trim(), mostCharacters));
    if (text !== "") return marked("member-transcript", { of: member, part: "last words" }, text);
  }
  return undefined;
}

const mostLooks = 20;
const mostCharacters = 8_000;

/** An event in a line; undefined for one that only tells of progress. */
function lineOf(event: AgentEvent): string | undefined {
  const { member = "the team" } = event;
  switch (event.type) {
    case "member-change":
      return `${member} is ${event.status}${aside(event.detail)}`;
    case "message-sent":
      return `${member} wrote to ${event.to} [${oneLine(event.message_type, 40)}]${aside(event.preview)}`;
    case "line-set-aside":
      return `a line in ${member}'s mailbox was set aside${aside(event.reason)}`;
    case "task-change":
      return `task ${event.id} is ${event.status}${event.member ? ` (${event.member})` : ""}`;
    case "request-change":
      return `${event.request_type} request ${event.id} of ${member} is ${event.state}`;
    case "landing-change":
      return `landing ${event.id} of ${member} is ${event.state}${aside(event.reason)}`;
    case "rule-change":
      return `rule ${event.change}: ${event.decision} ${oneLine(event.rule, 100)}`;
    case "mode-change":
      return `${member} works in the mode ${event.mode}`;
    case "rewind":
      return "the person went back to an earlier prompt";
    case "model-set":
      return `${member} has the model ${oneLine(event.model, 100)}`;
    case "run-start":
      return `${member} begins a run`;
    case "run-end":
      return `${member} has ended its run: ${event.outcome}${aside(event.reason)}`;
    case "warning":
      return `warning: ${oneLine(event.message, 300)}`;
    case "hook":
      return event.outcome === "passed"
        ? undefined
        : `a hook of ${member} ${event.outcome}${aside(event.message)}`;
    case "message-delivered":
    case "message-returned":
    case "message-withdrawn":
    case "turn-start":
    case "text-delta":
    case "thinking-delta":
    case "reply-restart":
    case "model-wait":
    case "model-change":
    case "tool-call":
    case "tool-output":
    case "tool-result":
    case "model-call":
    case "turn-end":
    case "compaction-start":
    case "compaction-end":
    case "clear":
      return undefined;
  }
}

function aside(text: string | undefined): string {
  return text ? `: ${oneLine(text, 150)}` : "";
}
