/** The questions of the benchmark to its child programs, and their answers. */
import { z } from "zod";
import { DesignName } from "./designs/design.ts";

const count = z.int().positive();
const ns = z.number();

export const Done = z.object({});

/** programs/sender.ts: sends as fast as it can. */
export const SenderOptions = z.object({
  design: DesignName,
  directory: z.string(),
  from: z.string(),
});
export const SendQuestion = z.object({ round: z.int(), count });
export const SendAnswer = z.object({ elapsedNs: ns });

/** programs/receiver.ts: reads all messages, and keeps a tally of one round. */
export const ReceiverOptions = z.object({
  design: z.enum(["troupe", "teaching"]),
  directory: z.string(),
});
export const ReceiverQuestion = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), round: z.int() }),
  z.object({ type: z.literal("finish"), senders: z.array(z.string()), count }),
]);
export const TallyAnswer = z.object({
  lost: z.int(),
  torn: z.int(),
  twice: z.int(),
  /** When the last message had been taken. */
  lastNs: ns,
});
export type TallyAnswer = z.infer<typeof TallyAnswer>;

/** programs/unread-sender.ts: sends to mailboxes with this number of unread messages. */
export const UnreadSenderOptions = z.object({ design: DesignName, directory: z.string() });
export const UnreadQuestion = z.object({ unread: count, mailboxes: count, sends: count });
export const UnreadAnswer = z.object({ medianNs: ns });
export type UnreadQuestion = z.infer<typeof UnreadQuestion>;

/** programs/ticker.ts: sends the time at intervals. programs/listener.ts: measures its age. */
export const DirectoryOptions = z.object({ directory: z.string() });
export const TickQuestion = z.object({ count, maxGapMs: z.number() });
export const ListenQuestion = z.object({ count });
export const ListenAnswer = z.object({ latenciesMs: z.array(z.number()) });

/** programs/idler.ts: keeps idle inboxes open. */
export const IdleQuestion = z.object({ inboxes: count, idleMs: z.number() });
export const IdleAnswer = z.object({ cpuMs: z.number(), elapsedMs: z.number() });

/** programs/life-maker.ts: creates a member with a long history. */
export const LifeQuestion = z.object({
  messages: count,
  entries: count,
  entryBytes: count,
  /** How many entries come after the newest compaction. */
  tail: count,
});

/** programs/reopener.ts: opens that member once. */
export const ReopenAnswer = z.object({
  transcriptMs: z.number(),
  mailboxMs: z.number(),
  tail: z.int(),
  baselineBytes: z.int(),
  peakBytes: z.int(),
});
export type ReopenAnswer = z.infer<typeof ReopenAnswer>;
