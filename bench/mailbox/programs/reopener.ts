import { deliveredPositions } from "../../../src/transcript/transcript.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { DirectoryOptions, Done } from "../contract.ts";
import { newReader, openMailbox, openTranscript } from "../designs/troupe.ts";

const { directory } = childOptions(DirectoryOptions);
const baselineBytes = process.memoryUsage.rss();

serve(Done, async () => {
  const startMs = performance.now();
  const transcript = await openTranscript(directory);
  const tail = await transcript.tail();
  const positions = deliveredPositions(tail);
  const transcriptMs = performance.now() - startMs;

  const mailbox = openMailbox(directory);
  const ids = new Set(tail.flatMap((entry) => (entry.type === "delivery" ? entry.message.id : [])));
  const reader = await mailbox.openReader({ ...newReader, delivered: { positions, ids } });
  const unread = await reader.unread();
  const mailboxMs = performance.now() - startMs - transcriptMs;

  if (unread.length > 0) throw new Error(`${unread.length} delivered messages came again`);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { transcriptMs, mailboxMs, tail: tail.length, baselineBytes, peakBytes };
});
