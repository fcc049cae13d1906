import { hmacSignature } from "../../src/keys/signature.ts";
import { MemoryRequests } from "../../src/requests/memory-requests.ts";
import { testRequests } from "../../src/testing/conformance/requests.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testRequests("MemoryRequests", async () => {
  const clock = new ManualClock();
  const signature = hmacSignature(new Uint8Array(32));
  return {
    requests: new MemoryRequests({ signature, clock }),
    clock,
    [Symbol.asyncDispose]: async () => {},
  };
});
