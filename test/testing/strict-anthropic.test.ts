import { expect, test } from "vitest";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { reply, says, thinks, thinksInSecret } from "../../src/testing/scripted-model.ts";
import { pixel } from "../support/pixel.ts";
import { askAnthropic, type Sent } from "./requests.ts";

const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const text = (text: string) => ({ type: "text", text });
const call = (id: string, rest: object = {}) => ({
  type: "tool_use",
  id,
  name: "ls",
  input: {},
  ...rest,
});
const result = (id: string, content: unknown = "") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const talk = (...messages: object[]): Sent => ({ body: { messages } });
const cached = (text: string) => ({ type: "text", text, cache_control: { type: "ephemeral" } });
const tool = (name: string) => ({ name, input_schema: { type: "object" } });

const oneCall = talk(user(text("go")), assistant(call("a")), user(result("a")));

const source = { type: "base64", ...pixel };
const image = (more: object = {}) => ({ type: "image", source: { ...source, ...more } });

const rules: { rule: string; refused: Sent; because: string; accepted: Sent }[] = [
  {
    rule: "an image is what its media type says",
    refused: talk(user(image({ media_type: "image/jpeg" }))),
    because: "it appears to be image/png",
    accepted: talk(user(image(), text("What is it?"))),
  },
  {
    rule: "an image is of a kind that is known",
    refused: talk(user(image({ media_type: "image/bmp" }))),
    because: "media_type",
    accepted: talk(user(image())),
  },
  {
    rule: "an image in a result is an image",
    refused: talk(
      user(text("go")),
      assistant(call("a")),
      user(result("a", [image({ data: "AAAA" })])),
    ),
    because: "Could not process image",
    accepted: talk(user(text("go")), assistant(call("a")), user(result("a", [image()]))),
  },
  {
    rule: "an image has at most 5 MB",
    refused: talk(user(image({ data: pixel.data.padEnd(5 * 1024 * 1024 + 4, "A") }))),
    because: "image exceeds 5 MB maximum",
    accepted: talk(user(image())),
  },
  {
    rule: "an image has no other fields",
    refused: talk(user(image({ name: "shot.png" }))),
    because: "name",
    accepted: talk(user(image())),
  },
  {
    rule: "every call has its result in the next message",
    refused: talk(user(text("go")), assistant(call("a"), call("b")), user(result("a"))),
    because: "without `tool_result` blocks immediately after: b",
    accepted: talk(
      user(text("go")),
      assistant(call("a"), call("b")),
      user(result("b"), result("a")),
    ),
  },
  {
    rule: "a result in a later message is too late",
    refused: talk(
      user(text("go")),
      assistant(call("a")),
      user(text("wait")),
      assistant(text("yes?")),
      user(result("a")),
    ),
    because: "without `tool_result` blocks immediately after: a",
    accepted: oneCall,
  },
  {
    rule: "every result has its call in the message before",
    refused: talk(user(text("go")), assistant(text("no")), user(result("a"))),
    because: "unexpected `tool_use_id`",
    accepted: oneCall,
  },
  {
    rule: "a call has one result",
    refused: talk(user(text("go")), assistant(call("a")), user(result("a"), result("a"))),
    because: "must have a single result",
    accepted: oneCall,
  },
  {
    rule: "results come first in their message",
    refused: talk(user(text("go")), assistant(call("a")), user(text("here"), result("a"))),
    because: "must come first",
    accepted: talk(user(text("go")), assistant(call("a")), user(result("a"), text("here"))),
  },
  {
    rule: "an id is used once",
    refused: talk(
      user(text("go")),
      assistant(call("a")),
      user(result("a")),
      assistant(call("a")),
      user(result("a")),
    ),
    because: "ids must be unique",
    accepted: talk(
      user(text("go")),
      assistant(call("a")),
      user(result("a")),
      assistant(call("b")),
      user(result("b")),
    ),
  },
  {
    rule: "the last word is not the assistant's",
    refused: talk(user(text("go")), assistant(text("I"))),
    because: "prefill",
    accepted: talk(user(text("go")), assistant(text("I")), user(text("who?"))),
  },
  {
    rule: "the first word is the user's",
    refused: talk(assistant(text("hello")), user(text("hi"))),
    because: "first message",
    accepted: talk(user(text("hi"))),
  },
  {
    rule: "roles alternate",
    refused: talk(user(text("hi")), user(text("there"))),
    because: "in a row",
    accepted: talk(user(text("hi"), text("there"))),
  },
  {
    rule: "there is a message",
    refused: talk(),
    because: "at least one message",
    accepted: talk({ role: "user", content: "hi" }),
  },
  {
    rule: "a message has content",
    refused: talk(user()),
    because: "non-empty content",
    accepted: talk(user(text("hi"))),
  },
  {
    rule: "content written as a string is not empty",
    refused: talk({ role: "user", content: "" }),
    because: "non-whitespace",
    accepted: talk({ role: "user", content: "hi" }),
  },
  {
    rule: "a text has more than white space",
    refused: talk(user(text(" \n"))),
    because: "non-whitespace",
    accepted: talk(user(text(" \nx"))),
  },
  {
    rule: "a text in a result has more than white space; a result may be empty",
    refused: talk(user(text("go")), assistant(call("a")), user(result("a", [text("")]))),
    because: "non-whitespace",
    accepted: oneCall,
  },
  {
    rule: "the input of a call is an object",
    refused: talk(user(text("go")), assistant(call("a", { input: "ls" })), user(result("a"))),
    because: "input",
    accepted: talk(
      user(text("go")),
      assistant(call("a", { input: { all: true } })),
      user(result("a")),
    ),
  },
  {
    rule: "the id of a call is made of letters, digits, _ and -",
    refused: talk(user(text("go")), assistant(call("a.b")), user(result("a.b"))),
    because: "id",
    accepted: talk(user(text("go")), assistant(call("a_B-1")), user(result("a_B-1"))),
  },
  {
    rule: "the name in a call is one a tool could have, known or not",
    refused: talk(user(text("go")), assistant(call("a", { name: "l s" })), user(result("a"))),
    because: "name",
    accepted: talk(
      user(text("go")),
      assistant(call("a", { name: "unheard-of" })),
      user(result("a")),
    ),
  },
  {
    rule: "the name of a tool has no white space",
    refused: { body: { tools: [tool("read file")] } },
    because: "name",
    accepted: { body: { tools: [tool("read_file")] } },
  },
  {
    rule: "the names of tools differ",
    refused: { body: { tools: [tool("ls"), tool("ls")] } },
    because: "unique",
    accepted: { body: { tools: [tool("ls"), tool("cat")] } },
  },
  {
    rule: "the limit of output is given",
    refused: { body: { max_tokens: undefined } },
    because: "max_tokens",
    accepted: { body: { max_tokens: 1 } },
  },
  {
    rule: "there are at most four cache marks",
    refused: { body: { system: ["a", "b", "c", "d", "e"].map(cached) } },
    because: "maximum of 4",
    accepted: {
      body: { system: [...["a", "b", "c", "d"].map(cached), text('"cache_control":{')] },
    },
  },
  {
    rule: "a part of the system prompt is not empty",
    refused: { body: { system: [text("")] } },
    because: "non-whitespace",
    accepted: { body: { system: [text("You are")] } },
  },
  {
    rule: "the version is given",
    refused: { headers: { "anthropic-version": "" } },
    because: "anthropic-version",
    accepted: {},
  },
  {
    rule: "a key is given, in either header",
    refused: { headers: { "x-api-key": "" } },
    because: "401",
    accepted: { headers: { "x-api-key": "", authorization: "Bearer secret" } },
  },
];

test.each(rules)("Anthropic's rule: $rule", async ({ refused, because, accepted }) => {
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(() => says("fine"));

  const welcome = await askAnthropic(server, accepted);
  expect(server.refusals).toEqual([]);
  expect(welcome.status).toBe(200);

  const response = await askAnthropic(server, refused);
  expect([400, 401]).toContain(response.status);
  expect(server.refusals).toEqual([expect.stringContaining(because)]);
  expect(await response.json()).toMatchObject({
    type: "error",
    error: { message: expect.any(String) },
  });
});

test.each(rules)("control: a server that is not strict accepts it: $rule", async ({ refused }) => {
  await using server = await ProviderServer.start();
  server.replyWith(() => says("fine"));

  expect((await askAnthropic(server, refused)).status).toBe(200);
});

test("a thought is sent back unchanged, with its own signature, and never last", async () => {
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith(() => reply([thinks("hm", "signed"), thinksInSecret("sealed"), says("fine")]));
  await askAnthropic(server);
  const thought = { type: "thinking", thinking: "hm", signature: "signed" };
  const sealed = { type: "redacted_thinking", data: "sealed" };
  const after = async (...content: object[]) => {
    const sent = talk(user(text("go")), assistant(...content), user(text("and?")));
    return (await askAnthropic(server, sent)).status;
  };

  expect(await after(thought, sealed, text("fine"))).toBe(200);
  expect(await after({ ...thought, thinking: "hm!" }, text("fine"))).toBe(400);
  expect(await after({ ...thought, signature: "forged" }, text("fine"))).toBe(400);
  expect(await after({ ...thought, signature: undefined }, text("fine"))).toBe(400);
  expect(await after({ ...sealed, data: "forged" }, text("fine"))).toBe(400);
  expect(await after(text("fine"), thought)).toBe(400);
});

test("a refused request uses no answer", async () => {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("for the good one"));

  await askAnthropic(server, talk());
  const response = await askAnthropic(server);

  expect(await response.text()).toContain("for the good one");
  expect(() => server.assertDone()).toThrow("at least one message");
});
