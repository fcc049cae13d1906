import { findMember } from "../../team/find-member.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** Resolves when the conversation is summarized. Events show how much shorter it is. */
export async function runCompact(
  argument: string,
  { team }: Talk,
  viewed: string,
): Promise<TalkReply> {
  await team.compact(viewed, argument === "" ? {} : { keep: argument });
  return { type: "shown", lines: [] };
}

/** Names those in whose views it is shown, unless that one is open. */
export async function runClear(
  argument: string,
  { team }: Talk,
  viewed: string,
): Promise<TalkReply> {
  const cleared = await team.clear(await named(argument, { team, viewed }));
  if (cleared.length === 0) return { type: "shown", lines: ["No member has anything to clear."] };
  const others = cleared.filter((name) => name !== viewed);
  return { type: "shown", lines: others.length > 0 ? [`Cleared: ${cleared.join(", ")}.`] : [] };
}

async function named(
  argument: string,
  { team, viewed }: { team: Talk["team"]; viewed: string },
): Promise<string> {
  if (argument === "") return viewed;
  if (argument === "all") return argument;
  return findMember(await team.roster(), argument);
}
