import { hmacSignature } from "../../src/keys/signature.ts";
import { MemoryRecords } from "../../src/lib/memory-records.ts";
import type { RequestId } from "../../src/protocol/ids.ts";
import type { Request } from "../../src/protocol/request.ts";
import { MemoryRequests } from "../../src/requests/memory-requests.ts";
import { testRequests } from "../../src/testing/conformance/requests.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testRequests("MemoryRequests", async () => {
  const clock = new ManualClock();
  const records = new MemoryRecords<RequestId, Request>();
  const signature = hmacSignature(new Uint8Array(32));
  return {
    requests: new MemoryRequests({ signature, clock, records }),
    clock,
    reopen: async () => new MemoryRequests({ signature, clock, records }),
    [Symbol.asyncDispose]: async () => {},
  };
});
