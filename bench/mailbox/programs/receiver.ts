import { coalesce } from "../../lib/coalesce.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { nowNs } from "../../lib/time.ts";
import { ReceiverOptions, ReceiverQuestion } from "../contract.ts";
import { TeachingReceiver } from "../designs/teaching.ts";
import { TroupeReceiver } from "../designs/troupe.ts";
import { Tally } from "../tally.ts";

const { design, directory } = childOptions(ReceiverOptions);
const receiver = await { troupe: TroupeReceiver, teaching: TeachingReceiver }[design].open(
  directory,
);

let tally = new Tally(0);
const drain = coalesce(async () => {
  for (;;) {
    const taken = await receiver.take();
    if (taken.contents.length === 0 && taken.torn === 0) return;
    tally.add(taken, nowNs());
  }
});
receiver.onWake(drain);

serve(ReceiverQuestion, async (question) => {
  if (question.type === "begin") {
    tally = new Tally(question.round);
    return {};
  }
  await drain();
  return tally.result(question);
});
