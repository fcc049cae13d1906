import { hmacSignature } from "../../src/keys/signature.ts";
import { MemoryRecords } from "../../src/lib/memory-records.ts";
import type { TeamRequest } from "../../src/protocol/request.ts";
import { StoredRequests } from "../../src/requests/stored-requests.ts";
import { testRequests } from "../../src/testing/conformance/requests.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testRequests("StoredRequests in memory", async () => {
  const clock = new ManualClock();
  const records = new MemoryRecords<TeamRequest>();
  const signature = hmacSignature(new Uint8Array(32));
  return {
    requests: new StoredRequests({ signature, clock, records }),
    clock,
    reopen: async () => new StoredRequests({ signature, clock, records }),
    [Symbol.asyncDispose]: async () => {},
  };
});
