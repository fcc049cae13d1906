import { systemClock } from "../../src/lib/clock.ts";
import { MemoryMailbox } from "../../src/mailbox/memory-mailbox.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { testMailbox } from "../../src/testing/conformance/mailbox.ts";

testMailbox("MemoryMailbox", async () => {
  const mailbox = new MemoryMailbox({ owner: MemberName.parse("ada"), clock: systemClock });
  return { mailbox, [Symbol.asyncDispose]: () => mailbox[Symbol.asyncDispose]() };
});
