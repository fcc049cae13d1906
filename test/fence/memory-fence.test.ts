import { MemoryFence } from "../../src/fence/memory-fence.ts";
import { testFence } from "../../src/testing/conformance/fence.ts";

testFence("MemoryFence", async () => ({
  fence: new MemoryFence(),
  [Symbol.asyncDispose]: async () => {},
}));
