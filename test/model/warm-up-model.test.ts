import { expect, test } from "vitest";
import { warmUpModel } from "../../src/model/models.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const env = {
  ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
  OPENAI_API_KEY: "sk-test-0123456789",
  GOOGLE_GENERATIVE_AI_API_KEY: "test-0123456789",
  OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1",
};

/** Notes how long somebody was going to wait. */
class NotingClock extends ManualClock {
  readonly delays: number[] = [];

  override schedule(delayMs: number, run: () => void): () => void {
    this.delays.push(delayMs);
    return super.schedule(delayMs, run);
  }
}

// The watchdogs tell how far it came: one is for the headers, then one for each piece of the answer.
test.each([
  ["anthropic/any", 60_000],
  ["openai/any", 60_000],
  ["google/any", 60_000],
  ["openai-compatible/any", 300_000],
])("warming up %s makes its code parse an answer, without a provider", async (id, headersMs) => {
  const clock = new NotingClock();

  await warmUpModel(id, { env, clock });

  expect(clock.delays).toEqual([headersMs, 90_000, 90_000]);
  expect(clock.pending).toBe(0);
});

test("a model without a provider has nothing to warm up", async () => {
  const clock = new NotingClock();

  await warmUpModel("replay:/no/such/file", { env, clock });

  expect(clock.delays).toEqual([]);
});
