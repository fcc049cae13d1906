import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.integer({ min: 5_000, max: 20_000 }).map((length) => "ü".repeat(length)),
);

test("a signature is the HMAC-SHA256 of the text, regardless of earlier calls", () => {
  const key = randomBytes(32);
  const signature = hmacSignature(key);

  fc.assert(
    fc.property(anyText, (text) => {
      const expected = createHmac("sha256", key).update(text).digest("hex");
      expect(signature.sign(text)).toBe(expected);
      expect(signature.sign(Buffer.from(text))).toBe(expected);
      expect(signature.verify(Buffer.from(text), expected)).toBe(true);
    }),
  );
});

test("another text, another key and another signature are rejected", () => {
  const signature = hmacSignature(randomBytes(32));
  const signed = signature.sign("text");

  expect(signature.verify("text", signed)).toBe(true);
  expect(signature.verify("test", signed)).toBe(false);
  expect(hmacSignature(randomBytes(32)).verify("text", signed)).toBe(false);
  for (const other of ["", signed.slice(1), `${signed}0`, signed.toUpperCase(), "ü".repeat(64)]) {
    expect(signature.verify("text", other)).toBe(false);
  }
});
