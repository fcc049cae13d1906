import { TeamError } from "../../errors.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import { findMember, memberNames } from "../../team/find-member.ts";
import type { PageCursor, TeamView } from "../../team/view/team-view.ts";
import { type Command, lookOptions } from "../command.ts";
import { findById, findCall, type ShownRecord } from "../find-shown.ts";
import { screenWidth } from "../render/columns.ts";
import { renderItem } from "../render/item.ts";
import { jsonText } from "../render/json-text.ts";
import { localTime } from "../render/local-time.ts";
import { mailJson, tellingFields } from "../render/mail.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import { shown } from "../render/shown.ts";
import { findCut } from "../screen/cut-texts.ts";
import { EntryItems } from "../talk/entry-items.ts";
import type { TalkItem } from "../talk/event-items.ts";
import { whatIsAsked } from "./approvals.ts";

export const show: Command = {
  name: "show",
  group: "look",
  summary: "Print in full what lists and the screen cut short",
  parameters: ["[<name>]", "[<n>|<id>]"],
  options: lookOptions,
  examples: [
    { call: "troupe show alice", does: "the last text of alice that was cut short" },
    { call: "troupe show alice 2", does: "the one before; without a name, the lead's" },
    {
      call: "troupe show 019a93 | less",
      does: "a call, message or question, by the start of its id",
    },
  ],
  notes: [
    "A call is printed with its whole input and output, and a question with its answer. `troupe log`, `troupe messages` and `troupe approvals` name the ids.",
  ],

  async run({ positionals, json, teamDir }, io) {
    const view = await io.viewTeam(teamDir);
    const found = await find(view, positionals);
    if (json) io.out(jsonText(asJson(found), 2));
    else for (const line of asLines(found)) io.out(line);
    return 0;
  },
};

type Found = ShownRecord | { type: "item"; item: TalkItem };

async function find(view: TeamView, [first, second]: readonly string[]): Promise<Found> {
  const team = await view.team();
  if (first === undefined) return findNth(view, team.lead, 1);
  const isMember = memberNames(team).some((name) => name === first.toLowerCase());
  if (second === undefined && !isMember) return findOne(view, team.lead, first);
  return findOne(view, findMember(team, first), second ?? "1");
}

/** A short number counts from the newest; all else is an id. */
function findOne(view: TeamView, member: MemberName, which: string): Promise<Found> {
  return /^[1-9]\d{0,3}$/.test(which)
    ? findNth(view, member, Number(which))
    : findById(view, which);
}

const onScreen = { width: screenWidth, paint: paintFor(false) };
const pageEntries = 100;
/** So many entries are looked through for what was shown only in part. */
const maxEntries = 5_000;

async function findNth(view: TeamView, member: MemberName, number: number): Promise<Found> {
  let entries: TranscriptEntry[] = [];
  let cut: TalkItem[] = [];
  let before: PageCursor | null | undefined;
  while (before !== null && cut.length < number && entries.length < maxEntries) {
    const page = await view.transcript(member, { before, limit: pageEntries });
    if (page.isRestarted) break;
    entries = [...page.entries.flatMap(({ entry }) => entry ?? []), ...entries];
    const made = new EntryItems(member);
    cut = findCut(entries.flatMap((entry) => made.itemsOf(entry)).reverse(), onScreen);
    before = page.before;
  }
  const item = cut[number - 1];
  if (!item) throw nothingCut(member, cut.length);
  if (item.type === "mail") return findById(view, item.id);
  if (item.type !== "call" && item.type !== "result") return { type: "item", item };
  return (await findCall(view, member, item.callId)) ?? { type: "item", item };
}

function nothingCut(member: MemberName, count: number): TeamError {
  const message =
    count === 0
      ? `Nothing of ${member} was shown only in part`
      : `Only ${count} of ${member}'s items were shown in part`;
  return new TeamError("request-unknown", message, {
    hint: `\`troupe log ${member}\` shows what ${member} did, with ids.`,
  });
}

function asJson(found: Found): object {
  switch (found.type) {
    case "call": {
      const { id, member, call } = found;
      const { output, isError } = call.result ?? { output: null, isError: null };
      const { at, name, input } = call;
      return { kind: "call", id, member, at, name, input, output, is_error: isError };
    }
    case "message":
      return { kind: "message", ...mailJson(found.mail, found.owner) };
    case "request":
      return { kind: "request", ...found.request };
    case "item":
      return { kind: found.item.type, ...found.item };
  }
}

/** Long lines are not broken, so that they can be copied. */
const whole = { width: 1_000_000, paint: paintFor(false), isWhole: true };

function asLines(found: Found): string[] {
  switch (found.type) {
    case "call":
      return callLines(found);
    case "message":
      return messageLines(found);
    case "request":
      return requestLines(found);
    case "item":
      return renderItem(found.item, whole).lines;
  }
}

function callLines({ id, member, call }: Extract<ShownRecord, { type: "call" }>): string[] {
  const { at, name, input, result } = call;
  const item = { callId: id, name, input };
  return [
    oneLine(`call ${id} of ${member}, ${localTime(new Date(at))}`),
    ...renderItem({ type: "call", ...item }, whole).lines,
    ...(result
      ? renderItem({ type: "result", ...item, ...result }, whole).lines
      : ["  (no result yet)"]),
  ];
}

function messageLines({ owner, mail, id }: Extract<ShownRecord, { type: "message" }>): string[] {
  if (mail.state === "set aside") {
    const head = `${id}  a line in ${owner}'s mailbox that was set aside, because it ${mail.reason}`;
    return [oneLine(head), ...shown(mail.text).split("\n")];
  }
  const { message, state } = mail;
  const { from, to, type, timestamp, content } = message;
  const fields = Object.entries(message).filter(([name]) => tellingFields.includes(name));
  return [
    `${type} ${id}, ${from} → ${to}, ${localTime(new Date(timestamp * 1000))}, ${state}`,
    ...shown(content).split("\n"),
    ...fields.flatMap(([name, value]) => shown(`${name}: ${String(value)}`).split("\n")),
  ];
}

function requestLines({ request }: Extract<ShownRecord, { type: "request" }>): string[] {
  const { id, type, from, to, created_at, state, decision } = request;
  const reason = decision?.reason ?? "";
  return [
    `${type} request ${id}, ${from} → ${to}, ${localTime(new Date(created_at))}, ${state}`,
    ...whatIsAsked(request),
    ...(decision ? [`${state} by ${decision.by}, ${localTime(new Date(decision.at))}`] : []),
    ...(reason === "" ? [] : shown(`reason: ${reason}`).split("\n")),
  ];
}
