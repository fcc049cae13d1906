import { expect, test } from "vitest";
import { googleSignature } from "../../src/testing/provider-server/google-wire.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { pixel } from "../support/pixel.ts";
import { askGoogle, type Sent } from "./requests.ts";

const user = (...parts: object[]) => ({ role: "user", parts });
const model = (...parts: object[]) => ({ role: "model", parts });
const text = (text: string) => ({ text });
const call = (name: string, thoughtSignature?: string) => ({
  functionCall: { name, args: {} },
  ...(thoughtSignature !== undefined && { thoughtSignature }),
});
const signed = (name: string) => call(name, googleSignature(name, {}));
const result = (name: string) => ({ functionResponse: { name, response: { content: "" } } });
const talk = (...contents: object[]): Sent => ({ body: { contents } });
const tools = (...names: string[]): Sent => ({
  body: { tools: [{ functionDeclarations: names.map((name) => ({ name })) }] },
});

const begin = user(text("go"));
const image = (more: object = {}) => ({
  inlineData: { mimeType: pixel.media_type, data: pixel.data, ...more },
});
const oneCall = talk(begin, model(signed("ls")), user(result("ls")));

const rules: { rule: string; refused: Sent; because: string; accepted: Sent }[] = [
  {
    rule: "there is a key",
    refused: { headers: { "x-goog-api-key": "" } },
    because: "unregistered callers",
    accepted: {},
  },
  {
    rule: "an image is what its type says",
    refused: talk(user(image({ mimeType: "image/jpeg" }))),
    because: "it appears to be image/png",
    accepted: talk(user(image(), text("What is it?"))),
  },
  {
    rule: "an image is not a GIF",
    refused: talk(user(image({ mimeType: "image/gif", data: "R0lGODlhAQABAAAAACw=" }))),
    because: "mimeType",
    accepted: talk(user(image())),
  },
  {
    rule: "an image can be decoded",
    refused: talk(user(image({ data: "AAAA" }))),
    because: "Could not process image",
    accepted: talk(user(image())),
  },
  {
    rule: "an image has no other fields",
    refused: talk(user(image({ name: "shot.png" }))),
    because: "name",
    accepted: talk(user(image())),
  },
  {
    rule: "a content has parts, and a part something in it",
    refused: talk(user(text(""))),
    because: "'data' must have one initialized field",
    accepted: talk(begin),
  },
  {
    rule: "roles are those of Gemini",
    refused: talk({ role: "assistant", parts: [text("so")] }),
    because: "role",
    accepted: talk(begin, model(text("so")), user(text("well?"))),
  },
  {
    rule: "every call has its result",
    refused: talk(begin, model(signed("ls"), call("cat")), user(result("ls"))),
    because: "number of function response parts",
    accepted: talk(begin, model(signed("ls"), call("cat")), user(result("ls"), result("cat"))),
  },
  {
    rule: "results come before anything else",
    refused: talk(begin, model(signed("ls")), user(text("wait")), user(result("ls"))),
    because: "number of function response parts",
    accepted: oneCall,
  },
  {
    rule: "every result has its call",
    refused: talk(begin, model(text("so")), user(result("ls"))),
    because: "immediately after a function call turn",
    accepted: oneCall,
  },
  {
    rule: "a result has the name of its call",
    refused: talk(begin, model(signed("ls")), user(result("cat"))),
    because: "has the name of its function call",
    accepted: oneCall,
  },
  {
    rule: "calls follow the user or results",
    refused: talk(begin, model(text("so")), model(signed("ls")), user(result("ls"))),
    because: "immediately after a user turn",
    accepted: talk(begin, model(text("so"), signed("ls")), user(result("ls"))),
  },
  {
    rule: "the first call of a reply has a signature",
    refused: talk(begin, model(call("ls")), user(result("ls"))),
    because: "missing a thought_signature",
    accepted: talk(begin, model(call("ls")), user(result("ls")), model(text("so")), begin),
  },
  {
    rule: "the signature is the one that came, or says that there is none",
    refused: talk(begin, model(call("ls", googleSignature("cat", {}))), user(result("ls"))),
    because: "Corrupted thought signature",
    accepted: talk(
      begin,
      model(call("ls", "skip_thought_signature_validator")),
      user(result("ls")),
    ),
  },
  {
    rule: "a tool has one declaration",
    refused: tools("ls", "ls"),
    because: "Duplicate function declaration found: ls",
    accepted: tools("ls", "cat"),
  },
  {
    rule: "the name of a tool is plain",
    refused: tools("list files"),
    because: "Invalid function name",
    accepted: tools("list_files"),
  },
];

test.each(rules)("Gemini: $rule", async ({ refused, because, accepted }) => {
  await using server = await ProviderServer.start({ strict: true });
  server.reply(says("Yes."));

  const no = await askGoogle(server, refused);
  const yes = await askGoogle(server, accepted);

  expect(no.status).toBeGreaterThanOrEqual(400);
  expect(await no.text()).toContain(because);
  expect(yes.status).toBe(200);
});
