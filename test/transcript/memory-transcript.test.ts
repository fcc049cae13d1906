import { testTranscript } from "../../src/testing/conformance/transcript.ts";
import { MemoryTranscript } from "../../src/transcript/memory-transcript.ts";

testTranscript("MemoryTranscript", async () => ({
  transcript: new MemoryTranscript(),
  [Symbol.asyncDispose]: async () => {},
}));
