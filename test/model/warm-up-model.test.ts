import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { warmUpModel } from "../../src/model/models.ts";

const env = {
  ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
  OPENAI_API_KEY: "sk-test-0123456789",
  GOOGLE_GENERATIVE_AI_API_KEY: "test-0123456789",
  OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1",
};

test.each([
  "anthropic/any",
  "openai/any",
  "google/any",
  "openai-compatible/any",
  "replay:/no/such/file",
])("%s is warmed up without its provider", async (id) => {
  await expect(warmUpModel(id, { env, clock: systemClock })).resolves.toBeUndefined();
});
