import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { pixel } from "../support/pixel.ts";
import { askOpenAi, type Sent } from "./requests.ts";

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown, ...tool_calls: object[]) => ({
  role: "assistant",
  content,
  ...(tool_calls.length > 0 && { tool_calls }),
});
const call = (id: string, args = "{}", name = "ls") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "" });
const talk = (...messages: object[]): Sent => ({ body: { messages } });
const tool = (name: string) => ({ type: "function", function: { name } });

const oneCall = talk(user("go"), assistant(null, call("a")), result("a"));

const image = (url: string, more: object = {}) =>
  user([{ type: "image_url", image_url: { url, ...more } }]);
const url = `data:image/png;base64,${pixel.data}`;

const rules: { rule: string; refused: Sent; because: string; accepted: Sent }[] = [
  {
    rule: "an image is what its address says",
    refused: talk(image(url.replace("png", "webp"))),
    because: "it appears to be image/png",
    accepted: talk(image(url)),
  },
  {
    rule: "an image is in its address",
    refused: talk(image(pixel.data)),
    because: "Expected a base64-encoded data URL",
    accepted: talk(image(url, { detail: "low" })),
  },
  {
    rule: "an image has no other fields",
    refused: talk(image(url, { name: "shot.png" })),
    because: "name",
    accepted: talk(image(url)),
  },
  {
    rule: "every call has its result",
    refused: talk(user("go"), assistant(null, call("a"), call("b")), result("a")),
    because: "did not have response messages: b",
    accepted: talk(user("go"), assistant(null, call("a"), call("b")), result("b"), result("a")),
  },
  {
    rule: "results come before anything else",
    refused: talk(user("go"), assistant(null, call("a")), user("wait"), result("a")),
    because: "did not have response messages: a",
    accepted: talk(user("go"), assistant(null, call("a")), result("a"), user("wait")),
  },
  {
    rule: "every result has its call",
    refused: talk(user("go"), result("a")),
    because: "must be a response",
    accepted: oneCall,
  },
  {
    rule: "a call has one result",
    refused: talk(user("go"), assistant(null, call("a")), result("a"), result("a")),
    because: "already answered",
    accepted: oneCall,
  },
  {
    rule: "an id is used once",
    refused: talk(
      user("go"),
      assistant(null, call("a")),
      result("a"),
      assistant(null, call("a")),
      result("a"),
    ),
    because: "Duplicate",
    accepted: talk(
      user("go"),
      assistant(null, call("a")),
      result("a"),
      assistant(null, call("b")),
      result("b"),
    ),
  },
  {
    rule: "the assistant says or calls something",
    refused: talk(user("go"), assistant(""), user("well?")),
    because: "content or tool_calls",
    accepted: talk(user("go"), assistant("so"), user("well?")),
  },
  {
    rule: "content in parts has one",
    refused: talk(user([])),
    because: "content",
    accepted: talk(user([{ type: "text", text: "hi" }])),
  },
  {
    rule: "arguments are JSON in a string",
    refused: talk(user("go"), assistant(null, call("a", "{")), result("a")),
    because: "arguments must be JSON",
    accepted: talk(user("go"), assistant(null, call("a", '{"b":1}')), result("a")),
  },
  {
    rule: "the name in a call is one a tool could have, known or not",
    refused: talk(user("go"), assistant(null, call("a", "{}", "l s")), result("a")),
    because: "name",
    accepted: talk(user("go"), assistant(null, call("a", "{}", "unheard-of")), result("a")),
  },
  {
    rule: "the name of a tool has no white space",
    refused: { body: { tools: [tool("read file")] } },
    because: "name",
    accepted: { body: { tools: [tool("read_file")] } },
  },
  {
    rule: "the last word is not the assistant's",
    refused: talk(user("go"), assistant("I")),
    because: "last message",
    accepted: talk(user("go"), assistant("I"), user("who?")),
  },
  {
    rule: "the user speaks once at a time",
    refused: talk({ role: "system", content: "You are" }, user("hi"), user("there")),
    because: "in a row",
    accepted: talk({ role: "system", content: "You are" }, user("hi")),
  },
  {
    rule: "a key is given",
    refused: { headers: { authorization: "" } },
    because: "401",
    accepted: {},
  },
];

test.each(rules)("OpenAI's rule: $rule", async ({ refused, because, accepted }) => {
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(() => says("fine"));

  const welcome = await askOpenAi(server, accepted);
  expect(server.refusals).toEqual([]);
  expect(welcome.status).toBe(200);

  const response = await askOpenAi(server, refused);
  expect([400, 401]).toContain(response.status);
  expect(server.refusals).toEqual([expect.stringContaining(because)]);
  expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
});

test.each(rules)("control: a server that is not strict accepts it: $rule", async ({ refused }) => {
  await using server = await ProviderServer.start();
  server.replyWith(() => says("fine"));

  expect((await askOpenAi(server, refused)).status).toBe(200);
});
