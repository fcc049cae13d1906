import { MemoryUsageLedger } from "../../src/logs/memory-usage-ledger.ts";
import { testUsageLedger } from "../../src/testing/conformance/usage-ledger.ts";

testUsageLedger("MemoryUsageLedger", async () => ({
  ledger: new MemoryUsageLedger(),
  [Symbol.asyncDispose]: async () => {},
}));
