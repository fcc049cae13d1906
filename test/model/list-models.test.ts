import { expect, test } from "vitest";
import { allModels } from "../../src/model/list-models.ts";

const vertex = { GOOGLE_VERTEX_PROJECT: "p", GOOGLE_VERTEX_LOCATION: "eu" };

test.each([
  ["vertex/", vertex, true],
  ["vertex/", { GOOGLE_VERTEX_API_KEY: "k" }, true],
  ["vertex/", { GOOGLE_VERTEX_PROJECT: "p" }, false],
  ["bedrock/", { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "eu-west-1" }, true],
  ["bedrock/", { AWS_BEARER_TOKEN_BEDROCK: "k" }, false],
  ["anthropic/", { ANTHROPIC_API_KEY: "k" }, true],
  ["anthropic/", vertex, false],
  ["rehearsal", {}, true],
])("models of %s with %o are ready: %s", async (beginning, env, isReady) => {
  const listed = (await allModels({ env })).filter(({ id }) => id.startsWith(beginning));

  expect(listed.length).toBeGreaterThan(0);
  expect(new Set(listed.map((each) => each.isReady))).toEqual(new Set([isReady]));
});
