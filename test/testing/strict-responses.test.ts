import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { pixel } from "../support/pixel.ts";
import { askResponses, type Sent } from "./requests.ts";

const url = `data:image/png;base64,${pixel.data}`;
const image = (image_url: string, more: object = {}) => ({
  type: "input_image",
  image_url,
  ...more,
});
const shown = (...content: object[]): Sent => ({ body: { input: [{ role: "user", content }] } });
const result = (...output: object[]): Sent => ({
  body: {
    input: [
      { role: "user", content: "go" },
      { type: "function_call", call_id: "a", name: "read_file", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output },
    ],
  },
});

const rules: { rule: string; refused: Sent; because: string; accepted: Sent }[] = [
  {
    rule: "an image is what its address says",
    refused: shown(image(url.replace("png", "webp"))),
    because: "it appears to be image/png",
    accepted: shown(image(url), { type: "input_text", text: "What is it?" }),
  },
  {
    rule: "an image is in its address",
    refused: shown(image(pixel.data)),
    because: "Expected a base64-encoded data URL",
    accepted: shown(image(url, { detail: "low" })),
  },
  {
    rule: "an image has no other fields",
    refused: shown(image(url, { name: "shot.png" })),
    because: "name",
    accepted: shown(image(url)),
  },
  {
    rule: "an image in a result is an image",
    refused: result(image("data:image/png;base64,AAAA")),
    because: "Could not process image",
    accepted: result(image(url)),
  },
];

test.each(rules)("OpenAI Responses: $rule", async ({ refused, because, accepted }) => {
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(() => says("fine"));

  const yes = await askResponses(server, accepted);
  expect(server.refusals).toEqual([]);
  expect(yes.status).toBe(200);

  const no = await askResponses(server, refused);
  expect(no.status).toBe(400);
  expect(server.refusals).toEqual([expect.stringContaining(because)]);
});

test.each(rules)("control: a server that is not strict accepts it: $rule", async ({ refused }) => {
  await using server = await ProviderServer.start();
  server.replyWith(() => says("fine"));

  expect((await askResponses(server, refused)).status).toBe(200);
});
