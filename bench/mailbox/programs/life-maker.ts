import type { MailPosition } from "../../../src/protocol/message.ts";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { anyContent } from "../content.ts";
import { DirectoryOptions, LifeQuestion } from "../contract.ts";
import { ada, newReader, openMailbox, openTranscript } from "../designs/troupe.ts";

/** How many messages, or entries, are written at a time. */
const batch = 1000;
const at = new Date(0).toISOString();

const { directory } = childOptions(DirectoryOptions);

serve(LifeQuestion, async ({ messages, entries, entryBytes, tail }) => {
  const position = await deliver(messages);
  const transcript = await openTranscript(directory);
  const reply = replyOf(entryBytes);
  const compaction: TranscriptEntry = {
    type: "compaction",
    at,
    summary: "",
    kept: [],
    wakes: false,
    delivered: [position],
  };
  for (let written = 0; written < entries - tail - 1; written += batch) {
    await transcript.append(
      Array<TranscriptEntry>(Math.min(batch, entries - tail - 1 - written)).fill(reply),
    );
  }
  await transcript.append([compaction, ...Array<TranscriptEntry>(tail).fill(reply)]);
  return {};
});

/** Sends and acknowledges this number of messages, and returns the position of the last. */
async function deliver(count: number): Promise<MailPosition> {
  await using mailbox = openMailbox(directory);
  await using reader = await mailbox.openReader(newReader);
  let position: MailPosition = { generation: 1, offset: 0 };
  for (let sent = 0; sent < count; sent += batch) {
    for (let number = 0; number < batch; number++) {
      await mailbox.append({ type: "message", from: ada, content: anyContent });
    }
    const last = (await reader.unread()).at(-1);
    if (!last) throw new Error("A message that was sent is not there");
    await reader.acknowledge(last.message.id);
    position = last.position;
  }
  return position;
}

function replyOf(bytes: number): TranscriptEntry {
  const reply = (text: string): TranscriptEntry => ({
    type: "reply",
    at,
    blocks: [{ type: "text", text }],
    stop: "end",
  });
  return reply(".".repeat(bytes - JSON.stringify(reply("")).length));
}
