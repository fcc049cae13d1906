import { setTimeout as sleep } from "node:timers/promises";
import { childOptions, serve } from "../../lib/serve.ts";
import { nowNs } from "../../lib/time.ts";
import { DirectoryOptions, TickQuestion } from "../contract.ts";
import { TroupeSender } from "../designs/troupe.ts";

const { directory } = childOptions(DirectoryOptions);
const sender = await TroupeSender.open({ directory, from: "lead" });

serve(TickQuestion, async ({ count, maxGapMs }) => {
  for (let sent = 0; sent < count; sent++) {
    await sleep(1 + Math.random() * maxGapMs);
    await sender.send(String(nowNs()));
  }
  return {};
});
