import { childOptions, serve } from "../../lib/serve.ts";
import { nowNs } from "../../lib/time.ts";
import { contentOf } from "../content.ts";
import { SenderOptions, SendQuestion } from "../contract.ts";
import { openSender } from "../designs/open-sender.ts";

const { design, directory, from } = childOptions(SenderOptions);
const sender = await openSender(design, { directory, from });

serve(SendQuestion, async ({ round, count }) => {
  const startNs = nowNs();
  for (let number = 0; number < count; number++) {
    await sender.send(contentOf(round, from, number));
  }
  return { elapsedNs: nowNs() - startNs };
});
