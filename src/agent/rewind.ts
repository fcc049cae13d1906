import type { MessageId } from "../protocol/ids.ts";
import type { ReceivedMail, ToolCall, TranscriptEntry } from "../protocol/transcript.ts";
import { positionsToCarry } from "../transcript/transcript.ts";
import type { Agent, EntryDraft } from "./agent.ts";

/** A prompt of the person that a team goes back to. */
export interface RewindPoint {
  /** The prompt itself. */
  id: MessageId;
  /** When it was sent: mail from before that is not undone. */
  sentAt: Date;
  /** When the lead saw it: what a member saw, said and did from then on is undone. */
  seenAt: Date;
}

/** What going back means for one transcript. */
export interface UndoneEntries {
  /** How many entries at its end no longer count. */
  voids: number;
  /** The calls among them, oldest first. */
  calls: ToolCall[];
  /** The mail among them that was sent before the prompt: it is given again. */
  again: ReceivedMail[];
}

/** An entry as far as it decides where a transcript can be cut. */
interface Mark {
  /** Where what is cut with it begins. */
  index: number;
  type: TranscriptEntry["type"];
  at: number;
  mail: readonly ReceivedMail[];
  calls: readonly ToolCall[];
  resultOf: string | undefined;
}

/**
 * Finds what is to be undone of a transcript. In the lead's it begins with the prompt itself; in others,
 * with what came after the lead saw it, at the beginning of a turn: no call may be left open, because
 * it would be made again.
 */
export async function findUndone(
  entries: AsyncIterable<TranscriptEntry>,
  point: RewindPoint,
): Promise<UndoneEntries> {
  const { marks, count } = await readMarks(entries, point);
  const prompt = marks.findIndex(({ mail }) => mail.some(({ message }) => message.id === point.id));
  const later = marks.findIndex(({ at }) => at >= point.seenAt.getTime());
  const found = prompt >= 0 ? prompt : later;
  if (found < 0) return { voids: 0, calls: [], again: [] };
  const cut = atTurn(marks, found);
  const undone = marks.slice(cut);
  const isEarlier = ({ message }: ReceivedMail) =>
    message.id !== point.id && message.timestamp * 1000 < point.sentAt.getTime();
  return {
    voids: count - (undone[0]?.index ?? count),
    calls: undone.flatMap(({ calls }) => calls),
    again: undone.flatMap(({ mail }) => mail).filter(isEarlier),
  };
}

/** The marks of the entries that count, and how many entries there are in all. */
async function readMarks(entries: AsyncIterable<TranscriptEntry>, { seenAt }: RewindPoint) {
  const marks: Mark[] = [];
  let count = 0;
  for await (const entry of entries) {
    // What makes a rewind void makes void, too, what that had made void.
    const start = entry.type === "rewind" ? count - entry.voids : count;
    while ((marks.at(-1)?.index ?? -1) >= start) marks.pop();
    const mark = markOf(entry, start);
    count += 1;
    marks.push(mark);
    // Nothing before the last turn that began earlier is ever cut: it need not be remembered.
    if (mark.type === "reply" && mark.at < seenAt.getTime()) marks.splice(0, marks.length - 1);
  }
  return { marks, count };
}

function markOf(entry: TranscriptEntry, index: number): Mark {
  const { type } = entry;
  const mail = entry.type === "delivery" ? [entry] : entry.type === "tool-result" ? entry.mail : [];
  const blocks = entry.type === "reply" ? entry.blocks : [];
  return {
    ...{ index, type, at: Date.parse(entry.at), mail: mail ?? [] },
    calls: blocks.filter((block) => block.type === "tool-call"),
    resultOf: entry.type === "tool-result" ? entry.call_id : undefined,
  };
}

/** Moves a cut back to before a reply whose calls have no results yet, and before the run's start. */
function atTurn(marks: readonly Mark[], found: number): number {
  let cut = found;
  const reply = marks.slice(0, cut).findLastIndex(({ type }) => type === "reply");
  const answered = new Set(marks.slice(0, cut).map(({ resultOf }) => resultOf));
  const isOpen = marks[reply]?.calls.some(({ call_id }) => !answered.has(call_id));
  if (isOpen) cut = reply;
  while (marks[cut - 1]?.type === "run-start") cut -= 1;
  return cut;
}

/**
 * Has a member forget what came after the prompt. It must not be running. What is in its transcript
 * stays there, void. Mail that it has not seen counts as seen, unless it was sent before the prompt.
 */
export async function rewindAgent(agent: Agent, point: RewindPoint): Promise<void> {
  const { transcript, clock } = agent.options;
  const { voids, again } = await findUndone(transcript.entries(), point);
  if (voids === 0) return;
  const delivered = positionsToCarry(await transcript.tail());
  const at = clock.now().toISOString();
  const repeated = again.map((mail): EntryDraft => ({ type: "delivery", ...mail }));
  const drafts: EntryDraft[] = [{ type: "rewind", voids, delivered }, ...repeated];
  // At once: mail that is to be given again is never missing.
  await transcript.append(drafts.map((draft) => ({ ...draft, at })));
  await agent.reload();
  if (!agent.lastRun.isOpen) return;
  const reason = "your person went back to an earlier point of the conversation";
  await agent.record({ type: "run-end", outcome: "interrupted", reason }, { type: "run-settled" });
}
