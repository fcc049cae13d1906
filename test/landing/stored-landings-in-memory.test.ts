import { hmacSignature } from "../../src/keys/signature.ts";
import { type StoredLanding, StoredLandings } from "../../src/landing/stored-landings.ts";
import { MemoryRecords } from "../../src/lib/memory-records.ts";
import { testLandings } from "../../src/testing/conformance/landings.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testLandings("StoredLandings in memory", async () => {
  const clock = new ManualClock();
  const records = new MemoryRecords<StoredLanding>();
  const signature = hmacSignature(Buffer.alloc(32, 7));
  return {
    landings: new StoredLandings({ clock, records, signature }),
    clock,
    reopen: async () => new StoredLandings({ clock, records, signature }),
    [Symbol.asyncDispose]: async () => {},
  };
});
