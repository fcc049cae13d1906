import { type MessageId, user } from "../protocol/ids.ts";
import { wakes, wakesWhenQuiet } from "../protocol/message-types.ts";
import type { ReceivedMail, ToolCall, TranscriptEntry } from "../protocol/transcript.ts";
import { mailOf, positionsToCarry, type Transcript } from "../transcript/transcript.ts";
import type { Agent, EntryDraft } from "./agent.ts";

/** A prompt of the person that a team goes back to. */
export interface RewindPoint {
  /** The prompt itself. */
  id: MessageId;
  /** When it was sent: what the person wrote before that is not undone. */
  sentAt: Date;
  /** When the lead saw it: what the members saw, said and did from then on is undone. */
  seenAt: Date;
}

/** What going back means for one transcript. */
export interface UndoneEntries {
  /** How many entries at its end no longer count. */
  voids: number;
  /** The calls that are undone, or whose results are, oldest first. */
  calls: ToolCall[];
  /** The ids of those among them that failed. */
  failed: ReadonlySet<string>;
  /** The calls that had no result then. They must have one: otherwise they would be made again. */
  open: ToolCall[];
  /** The mail among them that was sent before: it is given again. */
  again: ReceivedMail[];
  /** Whether a run was under way then. */
  isRunOpen: boolean;
}

/** An entry as far as it decides where a transcript is cut. */
interface Mark {
  /** Where what is cut with it begins. */
  index: number;
  type: TranscriptEntry["type"];
  at: number;
  mail: readonly ReceivedMail[];
  calls: readonly ToolCall[];
  resultOf: string | undefined;
  isError: boolean;
}

/**
 * Finds what is to be undone of a transcript. In the lead's it begins with the prompt itself; in others,
 * with what came after the lead saw it.
 */
export async function findUndone(
  entries: AsyncIterable<TranscriptEntry>,
  point: RewindPoint,
): Promise<UndoneEntries> {
  const { marks, count } = await readMarks(entries, point);
  const prompt = marks.findIndex((mark) => hasPrompt(mark, point));
  const later = marks.findIndex(({ at }) => at >= point.seenAt.getTime());
  const found = prompt >= 0 ? prompt : later;
  const failed = new Set(marks.flatMap((mark) => (mark.isError ? (mark.resultOf ?? []) : [])));
  if (found < 0) return { voids: 0, calls: [], failed, open: [], again: [], isRunOpen: false };
  const cut = beforeRun(marks, found);
  const undone = marks.slice(cut);
  const left = marks.slice(0, cut);
  const open = openCalls(left);
  return {
    voids: count - (undone[0]?.index ?? count),
    calls: [...open, ...undone.flatMap(({ calls }) => calls)],
    failed,
    open,
    again: undone.flatMap(({ mail }) => mail).filter((mail) => isEarlier(mail, point)),
    isRunOpen: isRunOpen(left),
  };
}

function hasPrompt({ mail }: Mark, { id }: RewindPoint): boolean {
  return mail.some(({ message }) => message.id === id);
}

/** True for mail that nobody takes back: of the person before the prompt, of others before it was seen. */
function isEarlier({ message }: ReceivedMail, { id, sentAt, seenAt }: RewindPoint): boolean {
  const limit = message.from === user ? sentAt : seenAt;
  return message.id !== id && message.timestamp * 1000 < limit.getTime();
}

/** The marks of the entries that count, and how many entries there are in all. */
async function readMarks(entries: AsyncIterable<TranscriptEntry>, point: RewindPoint) {
  const marks: Mark[] = [];
  let count = 0;
  let hasBegun = false;
  for await (const entry of entries) {
    // What makes a rewind void makes void, too, what that had made void.
    const start = entry.type === "rewind" ? count - entry.voids : count;
    while ((marks.at(-1)?.index ?? -1) >= start) marks.pop();
    const mark = markOf(entry, start);
    count += 1;
    marks.push(mark);
    hasBegun ||= mark.at >= point.seenAt.getTime() || hasPrompt(mark, point);
    // Nothing before the last reply that is earlier is ever cut: it need not be remembered.
    if (mark.type === "reply" && !hasBegun) marks.splice(0, marks.length - 1);
  }
  return { marks, count };
}

function markOf(entry: TranscriptEntry, index: number): Mark {
  const { type } = entry;
  const blocks = entry.type === "reply" ? entry.blocks : [];
  return {
    ...{ index, type, at: Date.parse(entry.at), mail: mailOf(entry) },
    calls: blocks.filter((block) => block.type === "tool-call"),
    resultOf: entry.type === "tool-result" ? entry.call_id : undefined,
    isError: entry.type === "tool-result" && entry.is_error,
  };
}

/**
 * Moves a cut to before the start of a run that did nothing yet, and to before an end that was not
 * settled: the run ends again, with a report that the lead has not seen.
 */
function beforeRun(marks: readonly Mark[], found: number): number {
  let cut = found;
  while (["run-start", "run-end"].includes(marks[cut - 1]?.type ?? "")) cut -= 1;
  return cut;
}

/** The calls of the last reply that have no result. A conversation that was cleared since has no calls. */
function openCalls(all: readonly Mark[]): ToolCall[] {
  const marks = all.slice(all.findLastIndex(({ type }) => type === "compaction") + 1);
  const answered = new Set(marks.map(({ resultOf }) => resultOf));
  const reply = marks.findLast(({ type }) => type === "reply");
  return reply?.calls.filter(({ call_id }) => !answered.has(call_id)) ?? [];
}

function isRunOpen(marks: readonly Mark[]): boolean {
  const opens = ["run-start", "reply"];
  const closes = ["run-end", "run-settled"];
  const last = marks.findLast(({ type }) => [...opens, ...closes].includes(type));
  return last !== undefined && opens.includes(last.type);
}

interface TranscriptRewind {
  point: RewindPoint;
  now: Date;
  /** True for the transcript of a member that has ended: it does nothing more. */
  hasEnded: boolean;
}

/**
 * Makes void what came after the prompt. It stays in the transcript. Returns whether there is mail
 * for a run.
 */
export async function rewindTranscript(
  transcript: Transcript,
  { point, now, hasEnded }: TranscriptRewind,
): Promise<boolean> {
  const undone = await findUndone(transcript.entries(), point);
  const { voids, open } = undone;
  if (voids === 0) return false;
  const again = hasEnded ? [] : undone.again;
  const hasWork = again.some(({ message }) => wakes(message) || wakesWhenQuiet(message));
  const drafts: EntryDraft[] = [
    { type: "rewind", voids, delivered: positionsToCarry(await transcript.tail()) },
    ...open.map(takenBack),
    ...(hasEnded && undone.isRunOpen ? ending : []),
    ...(hasWork ? [{ type: "run-start" } as const] : []),
    ...again.map((mail): EntryDraft => ({ type: "delivery", ...mail })),
  ];
  // At once: mail that is to be given again is never missing.
  await transcript.append(drafts.map((draft) => ({ ...draft, at: now.toISOString() })));
  return hasWork;
}

/** Has a member forget what came after the prompt. It must not be running. */
export async function rewindAgent(agent: Agent, point: RewindPoint): Promise<boolean> {
  const { transcript, clock } = agent.options;
  const hasWork = await rewindTranscript(transcript, { point, now: clock.now(), hasEnded: false });
  await agent.reload();
  return hasWork;
}

function takenBack({ call_id }: ToolCall): EntryDraft {
  return { type: "tool-result", call_id, output: takenBackOutput, is_error: true };
}

/** The result of a call that was running at the prompt that the team went back to. */
const takenBackOutput =
  "Outcome unknown: the person took the team back to a time when this call had no result yet. It was not run again. Check what it did before you repeat it.";

const ending: EntryDraft[] = [
  { type: "run-end", outcome: "interrupted", reason: "the person went back to an earlier prompt" },
  { type: "run-settled" },
];
