import type { RewindPoint } from "../../agent/rewind.ts";
import { TeamError } from "../../errors.ts";
import { firstCharacters } from "../../lib/cut-text.ts";
import { type MessageId, user } from "../../protocol/ids.ts";
import type { TranscriptEntry } from "../../protocol/transcript.ts";
import { mailOf } from "../../transcript/transcript.ts";

/** A prompt of the person to the lead that a team can go back to. */
export interface Checkpoint {
  /** The id of the message that brought the prompt, by which `rewind` is called. */
  id: MessageId;
  /** When the lead saw it, in UTC. */
  at: string;
  /** The prompt, cut where it is long. */
  text: string;
}

const maxCharacters = 2_000;

interface FoundPrompt extends Checkpoint {
  /** The whole prompt. */
  content: string;
  sentAt: Date;
  index: number;
}

/** The prompts of the person that count, oldest first; those that came with the result of a call, too. */
export async function findCheckpoints(
  entries: AsyncIterable<TranscriptEntry>,
): Promise<FoundPrompt[]> {
  const found: FoundPrompt[] = [];
  let index = 0;
  for await (const entry of entries) {
    if (entry.type === "rewind") {
      while ((found.at(-1)?.index ?? -1) >= index - entry.voids) found.pop();
    }
    for (const { message } of mailOf(entry)) {
      const { id, type, from, content, timestamp } = message;
      if (from !== user || (type !== "message" && type !== "broadcast")) continue;
      const text = firstCharacters(content, maxCharacters);
      const sentAt = new Date(timestamp * 1000);
      found.push({ id, at: entry.at, text, content, sentAt, index });
    }
    index += 1;
  }
  return found;
}

/** The point to go back to. Throws for an id that is not of a checkpoint. */
export async function requireCheckpoint(
  entries: AsyncIterable<TranscriptEntry>,
  id: string,
): Promise<{ checkpoint: Checkpoint; prompt: string; point: RewindPoint }> {
  const found = (await findCheckpoints(entries)).find((each) => each.id === id);
  if (!found) {
    throw new TeamError("request-unknown", `There is no checkpoint ${id}`, {
      hint: "Take the id of one of the prompts that Team.checkpoints lists.",
    });
  }
  const { at, text, content: prompt, sentAt } = found;
  const checkpoint = { id: found.id, at, text };
  return { checkpoint, prompt, point: { id: found.id, sentAt, seenAt: new Date(at) } };
}
