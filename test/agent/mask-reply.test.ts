import { expect, test } from "vitest";
import { maskReply } from "../../src/agent/mask-reply.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import { calls, says, thinks } from "../../src/testing/scripted-model.ts";

const key = "sk-0123456789";
const secrets = new Secrets([key]);
const mask = (...blocks: ReplyBlock[]) => maskReply(blocks, secrets);
const signedCall = {
  ...calls("ls", { path: key }, "a"),
  provider: { google: { thoughtSignature: "s" } },
};

test("a reply without secrets stays as it is", () => {
  const blocks = [thinks("hm"), says("fine"), calls("ls", {}, "a")];

  expect(mask(...blocks)).toEqual(blocks);
});

test("if one thought has a secret, none of the reply's thoughts keeps its signature", () => {
  expect(mask(thinks("hm"), thinks(`I use ${key}.`), says("fine"))).toEqual([
    { type: "thinking", text: "hm" },
    { type: "thinking", text: "I use [key]." },
    says("fine"),
  ]);
});

test("a secret elsewhere leaves the thoughts as they are, and takes the signature of its own block", () => {
  expect(mask(thinks("hm"), says(`It is ${key}.`), signedCall)).toEqual([
    thinks("hm"),
    says("It is [key]."),
    calls("ls", { path: "[key]" }, "a"),
  ]);
});

test("a thought that nobody has signed is sent back masked", () => {
  const open = (text: string): ReplyBlock => {
    return { type: "thinking", text, provider: { "openai-compatible": {} } };
  };

  expect(mask(open(`I use ${key}.`))).toEqual([open("I use [key].")]);
});
