import { setTimeout as sleep } from "node:timers/promises";
import { MemberName } from "../../../src/protocol/ids.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { anyContent } from "../content.ts";
import { DirectoryOptions, IdleQuestion } from "../contract.ts";
import { newReader, openMailbox, openWatch } from "../designs/troupe.ts";

const settleMs = 1500;

const { directory } = childOptions(DirectoryOptions);
const watch = await openWatch(directory);

serve(IdleQuestion, async ({ inboxes, idleMs }) => {
  for (let number = 0; number < inboxes; number++) await openInbox(number);
  await sleep(settleMs);

  const start = { cpu: process.cpuUsage(), ms: performance.now() };
  await sleep(idleMs);
  const { user, system } = process.cpuUsage(start.cpu);
  return { cpuMs: (user + system) / 1000, elapsedMs: performance.now() - start.ms };
});

/** The inbox of an idle member: some mail has arrived and is settled. */
async function openInbox(number: number): Promise<void> {
  const mailbox = openMailbox(directory, { owner: MemberName.parse(`member-${number}`), watch });
  const reader = await mailbox.openReader(newReader);
  reader.onWake(() => reader.unread());
  const { id } = await mailbox.append({
    type: "message",
    from: MemberName.parse("lead"),
    content: anyContent,
  });
  await reader.unread();
  await reader.acknowledge(id);
}
