import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import type { FileLine } from "../../src/lib/line-reader.ts";
import {
  type DecodeOptions,
  decodeLine,
  encodeLine,
  idsIn,
  maxLineBytes,
} from "../../src/mailbox/mail-line.ts";
import { lead, MemberName, newMessageId } from "../../src/protocol/ids.ts";
import { type Message, maxContentBytes } from "../../src/protocol/message.ts";

const ada = MemberName.parse("ada");
const signature = hmacSignature(Buffer.alloc(32, 7));
const options: DecodeOptions = {
  owner: ada,
  generation: 3,
  signature,
  modified: new Date(5_000),
};

function message(content: string, to = ada): Message {
  return { id: newMessageId(new Date(0)), type: "message", from: lead, to, content, timestamp: 1 };
}

/** A line as it is written, without its newline. */
function written(content: string, to = ada): Buffer {
  return encodeLine(message(content, to), signature).subarray(0, -1);
}

function line(bytes: Buffer | string, isCut = false): FileLine {
  const whole = Buffer.from(bytes);
  return {
    path: "/inbox/ada.jsonl",
    bytes: whole,
    offset: 100,
    end: 100 + whole.length + 1,
    isCut,
  };
}

/** What becomes of a line: the content of each message, and why each other part is set aside. */
function decoded(bytes: Buffer | string, more: Partial<DecodeOptions> = {}, isCut = false) {
  return decodeLine(line(bytes, isCut), { ...options, ...more }).map((part) =>
    part.type === "message"
      ? { from: part.message.from, content: part.message.content }
      : { aside: part.reason, text: part.text },
  );
}

test("a signed line is a message from its sender", () => {
  expect(decoded(written("hello"))).toEqual([{ from: "lead", content: "hello" }]);
});

test.each([
  ["of another key", hmacSignature(Buffer.alloc(32, 8))],
  ["of no key, where senders are taken at their word", undefined],
])("without a valid signature, %s, a line is read as written by hand", (_, other) => {
  const from = other ? "outside" : "lead";

  expect(decoded(written("hello"), { signature: other })).toEqual([{ from, content: "hello" }]);
});

test("a signed object that is not a message, or is for another member, is set aside", () => {
  const text = '{"id":"x"';
  const strange = `${text},"sig":"${signature.sign(text)}"}`;

  expect(decoded(strange)).toMatchObject([{ aside: expect.stringContaining("not a message") }]);
  expect(decoded(written("hello", MemberName.parse("bob")))).toMatchObject([
    { aside: "is addressed to 'bob'" },
  ]);
});

test("a signed text that is not JSON is set aside", () => {
  const text = '{"id":"x';

  expect(decoded(`${text},"sig":"${signature.sign(text)}"}`)).toMatchObject([
    { aside: "is signed, but is not a JSON object" },
  ]);
});

test("torn text is set aside, and each whole record after it is delivered", () => {
  const torn = written("lost").subarray(0, 60);

  expect(decoded(Buffer.concat([torn, written("one"), written("two")]))).toMatchObject([
    { aside: "starts with { but is not JSON" },
    { from: "lead", content: "one" },
    { from: "lead", content: "two" },
  ]);
  expect(decoded(Buffer.concat([Buffer.from("by hand"), written("one")]))).toEqual([
    { from: "outside", content: "by hand" },
    { from: "lead", content: "one" },
  ]);
});

test("torn text is set aside, and an unsigned record after it is from outside", () => {
  const torn = '{"id":"1","content":"lo';

  expect(decoded(`${torn}{"id":"2","content":"found"}`)).toEqual([
    { aside: "starts with { but is not JSON", text: torn },
    { from: "outside", content: "found" },
  ]);
  // As often as somebody could have torn it, and no oftener.
  expect(decoded(`${'{"id":"'.repeat(15)}{"id":"2","content":"found"}`)).toHaveLength(2);
  expect(decoded(`${'{"id":"'.repeat(40)}{"id":"2","content":"found"}`)).toHaveLength(1);
});

test.each([
  ['{"type":"message","content":"hi"}', { from: "outside", content: "hi" }],
  ['{"type":"broadcast","content":"hi"}', { from: "outside", content: "hi" }],
  ['{"type":"result","content":"hi"}', { aside: 'claims to be a "result", but is not signed' }],
  ['{"type":7,"content":"hi"}', { aside: "claims to be a something else, but is not signed" }],
  ['{"content":7}', { aside: "has no content that is text" }],
  ["{not json}", { aside: "starts with { but is not JSON" }],
  [`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`, { aside: expect.stringMatching(/deep/) }],
  ["  padded  ", { from: "outside", content: "padded" }],
])("an unsigned line is from outside, or is set aside: %.40s", (text, expected) => {
  expect(decoded(text)).toMatchObject([expected]);
});

test("a blank line is ignored", () => {
  expect(decoded("")).toEqual([]);
  expect(decoded(" \r")).toEqual([]);
});

test("content of the maximum size is accepted, and larger content is not", () => {
  const largest = "x".repeat(maxContentBytes);

  expect(decoded(largest)).toEqual([{ from: "outside", content: largest }]);
  expect(decoded(`${largest}x`)).toMatchObject([
    { aside: `has more than ${maxContentBytes} bytes of content` },
  ]);
});

test("the time of a message from outside is its own, or that of its log", () => {
  const timeOf = (text: string) => {
    const [part] = decodeLine(line(text), options);
    return part?.type === "message" ? part.message.timestamp : undefined;
  };

  expect(timeOf('{"content":"hi","timestamp":12}')).toBe(12);
  expect(timeOf("hi")).toBe(5);
});

test("a line written by hand gets its id from its log and position", () => {
  const [part] = decodeLine(line("hi"), options);

  expect(part?.type === "message" && part.message.id).toBe("hand-3-100");
});

test("the beginning of a truncated line is set aside, and a record at its end is delivered", () => {
  expect(decoded(Buffer.concat([Buffer.from("much"), written("one")]), {}, true)).toMatchObject([
    { aside: `is longer than ${maxLineBytes} bytes` },
    { from: "lead", content: "one" },
  ]);
  expect(decoded(written("one"), {}, true)).toHaveLength(2);
});

test("the ids in a line are those of its messages", () => {
  const [one, two] = [message("one"), message("two")];
  const lines = [one, two].map((each) => encodeLine(each, signature).subarray(0, -1));

  expect(idsIn(line(lines[0] ?? ""), options)).toEqual([one.id]);
  expect(idsIn(line(Buffer.concat(lines)), options)).toEqual([one.id, two.id]);
  expect(idsIn(line("by hand"), options)).toEqual([]);
  expect(idsIn(line(lines[0] ?? "", true), options)).toEqual([one.id]);
});

test("after torn text, sixteen possible record starts are tried", () => {
  const torn = (count: number) => `${'{"id":"'.repeat(count)}{"id":"2","content":"found"}`;

  expect(decoded(torn(16))).toMatchObject([{ aside: expect.any(String) }, { content: "found" }]);
  expect(decoded(torn(17))).toMatchObject([{ aside: "starts with { but is not JSON" }]);
});

test("an unsigned type is quoted up to forty characters, a line up to 4,096 bytes", () => {
  const [part] = decoded(`{"type":"${"x".repeat(5_000)}","content":"hi"}`);

  expect(part).toEqual({
    aside: `claims to be a "${"x".repeat(40)}", but is not signed`,
    text: expect.stringMatching(/^.{4096}$/),
  });
});

test("a record after a single stray byte is found", () => {
  expect(decoded(Buffer.concat([Buffer.from("x"), written("one")]))).toEqual([
    { from: "outside", content: "x" },
    { from: "lead", content: "one" },
  ]);
});

test("P15 for a line full of record starts, at most sixteen times the longest line is hashed", () => {
  let hashed = 0;
  const verify = (bytes: Uint8Array | string) => {
    hashed += bytes.length;
    return false;
  };
  const counting = { ...signature, verify };

  decoded(`${'{"id":"'.repeat(200_000)},"sig":"${"0".repeat(64)}"}`, { signature: counting });

  expect(hashed).toBeGreaterThan(15 * maxLineBytes);
  expect(hashed).toBeLessThan(18 * maxLineBytes);
});
