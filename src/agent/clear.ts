import { TeamError } from "../errors.ts";
import { positionsToCarry } from "../transcript/transcript.ts";
import type { Agent } from "./agent.ts";
import { contextSize, lastEnd } from "./compaction.ts";
import { unseenMail } from "./unseen-mail.ts";

/**
 * Begins the conversation again with what is rebuilt from disk, and the mail that the model has not
 * replied to. One entry: a crash leaves it as it was, or cleared. `closeRun` ends a run that was cut
 * short. The member must not be running. Resolves to the size of the conversation before.
 */
export async function clearConversation(
  agent: Agent,
  closeRun: () => Promise<void>,
): Promise<number> {
  const { conversation, options } = agent;
  if (conversation.isEmpty) throw isEmpty(options.name);
  const before = contextSize(agent);
  if (agent.lastRun.isOpen) await closeRun();
  const entries = await options.transcript.tail();
  const unseen = unseenMail(entries, options.wholePath);
  const { texts, images = [] } = unseen.unansweredInput;
  const recap = await options.recap();
  await agent.record(
    {
      type: "compaction",
      summary: clearedText,
      cleared: true,
      kept: [...recap, ...texts],
      rebuilt: recap.length,
      ...(images.length > 0 && {
        images: images.map((each) => ({ ...each, before: each.before + recap.length })),
      }),
      wakes: unseen.awaitsReply,
      delivered: positionsToCarry(entries),
      answers: [...agent.lastRun.answers],
      ...lastEnd(agent.lastRun),
    },
    agent.profile,
  );
  return before;
}

const clearedText =
  "(The person cleared your conversation: you start again. The current state follows.)";

function isEmpty(name: string): TeamError {
  return new TeamError(
    "conversation-short",
    `There is nothing to clear: '${name}' has said nothing`,
    {
      hint: "A conversation can be cleared once the member has replied.",
    },
  );
}
