import { coalesce } from "../../lib/coalesce.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { nowNs, nsPerMs } from "../../lib/time.ts";
import { DirectoryOptions, ListenQuestion } from "../contract.ts";
import { newReader, openMailbox, openWatch } from "../designs/troupe.ts";

const { directory } = childOptions(DirectoryOptions);
const mailbox = openMailbox(directory, { watch: await openWatch(directory) });
const reader = await mailbox.openReader(newReader);

let latenciesMs: number[] = [];
const look = coalesce(async () => {
  const deliveries = await reader.unread();
  const seenNs = nowNs();
  for (const { message } of deliveries) {
    latenciesMs.push((seenNs - Number(message.content)) / nsPerMs);
  }
  const last = deliveries.at(-1);
  if (last) await reader.acknowledge(last.message.id);
});
reader.onWake(look);

serve(ListenQuestion, async ({ count }) => {
  // A message without a wake is found here, and counts with its delay.
  while (latenciesMs.length < count) await look();
  const answer = { latenciesMs };
  latenciesMs = [];
  return answer;
});
