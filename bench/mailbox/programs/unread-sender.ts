import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { childOptions, serve } from "../../lib/serve.ts";
import { median } from "../../lib/statistics.ts";
import { nowNs } from "../../lib/time.ts";
import { anyContent } from "../content.ts";
import { UnreadQuestion, UnreadSenderOptions } from "../contract.ts";
import { openSender } from "../designs/open-sender.ts";

const { design, directory } = childOptions(UnreadSenderOptions);
let mailboxesMade = 0;

serve(UnreadQuestion, async ({ unread, mailboxes, sends }) => {
  const durationsNs: number[] = [];
  for (let mailbox = 0; mailbox < mailboxes; mailbox++) {
    durationsNs.push(...(await sendToNewMailbox(unread, sends)));
  }
  return { medianNs: median(durationsNs) };
});

/** How long each of the sends took. */
async function sendToNewMailbox(unread: number, sends: number): Promise<number[]> {
  const place = join(directory, String(mailboxesMade++));
  await mkdir(place);
  await using sender = await openSender(design, { directory: place, from: "lead" });
  await sender.fill(anyContent, unread);

  const durationsNs: number[] = [];
  for (let sent = 0; sent < sends; sent++) {
    const startNs = nowNs();
    await sender.send(anyContent);
    durationsNs.push(nowNs() - startNs);
  }
  return durationsNs;
}
