import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { memberOffer } from "../../src/mcp-server/member-offer.ts";
import { callTool } from "../../src/mcp-server/served-tool.ts";
import { MemberName } from "../../src/protocol/ids.ts";

test("read_inbox shows the mail that is taken for it, in its wrappers, and then says that there is none", async () => {
  const mail = [['<teammate-message from="bob">Hi</teammate-message>']];
  const offer = memberOffer({
    version: "1",
    caller: { member: MemberName.parse("alice"), cwd: "/", clock: systemClock, mask: (it) => it },
    tools: [],
    takeMail: async () => mail.shift() ?? [],
    onFailure: () => undefined,
  });
  const [readInbox] = offer.tools;
  if (!readInbox) throw new Error("It has no read_inbox");
  const call = () =>
    callTool(readInbox, {}, offer.caller, { id: "1", signal: new AbortController().signal });

  expect(await call()).toEqual({
    text: '<teammate-message from="bob">Hi</teammate-message>',
    isError: false,
  });
  expect(await call()).toEqual({ text: "No mail.", isError: false });
  expect(offer.tools).toHaveLength(1);
});
