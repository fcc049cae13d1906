import fc from "fast-check";
import { expect, test } from "vitest";
import { childEnvironment, Secrets } from "../../src/lib/secrets.ts";

const key = "sk-canary-0123456789";

test("a secret is replaced everywhere, and nothing else is", () => {
  const secrets = new Secrets([key]);

  expect(secrets.mask(`a ${key}${key} b`)).toBe("a [key][key] b");
  expect(secrets.mask("sk-canary-012345678")).toBe("sk-canary-012345678");
});

test("a value too short to be a key, or empty, masks nothing", () => {
  const secrets = new Secrets(["", "1234567"]);

  expect(secrets.mask("1234567 and more")).toBe("1234567 and more");
});

test("a secret that begins with another one is replaced whole", () => {
  const secrets = new Secrets(["abcdefgh", "abcdefghij"]);

  expect(secrets.mask("abcdefghij abcdefgh")).toBe("[key] [key]");
});

test("special characters of patterns are taken literally", () => {
  const secrets = new Secrets(["a.b*c(d)[e]\\$"]);

  expect(secrets.mask("a.b*c(d)[e]\\$ axbbcd")).toBe("[key] axbbcd");
});

test("strings and keys of JSON are masked, at any depth, and the rest is unchanged", () => {
  const value = JSON.parse(`{"a":["${key}",1,null,true],"${key}":{"__proto__":"x${key}"}}`);

  const masked = new Secrets([key]).maskJson(value);

  expect(JSON.stringify(masked)).toBe('{"a":["[key]",1,null,true],"[key]":{"__proto__":"x[key]"}}');
});

test("text in pieces is masked like the whole, wherever it is split", () => {
  // Few letters, so that secrets overlap, repeat and begin with each other.
  const letters = fc.constantFrom("a", "b");
  const secret = fc.string({ unit: letters, minLength: 8, maxLength: 12 });
  const piece = fc.string({ unit: letters, maxLength: 9 });

  fc.assert(
    fc.property(fc.array(secret, { maxLength: 4 }), fc.array(piece), (values, pieces) => {
      const whole = pieces.join("") + values.join("");
      const secrets = new Secrets(values);
      const stream = secrets.stream();

      const masked = [...pieces, ...values].map((it) => stream.push(it)).join("") + stream.end();

      expect(masked).toBe(secrets.mask(whole));
    }),
    { numRuns: 2_000 },
  );
});

test("text that is not a secret is not held back", () => {
  const stream = new Secrets([key]).stream();

  expect(stream.push("Password: ")).toBe("Password: ");
  expect(stream.push("sk-can")).toBe("");
  expect(stream.push("oe")).toBe("sk-canoe");
});

test("a child's environment lacks the named variables and those that contain a secret", () => {
  const environment = {
    PATH: "/bin",
    ANTHROPIC_API_KEY: "short",
    COPY: `Bearer ${key}`,
    MISSING: undefined,
  };

  const child = childEnvironment(environment, {
    names: ["ANTHROPIC_API_KEY"],
    secrets: new Secrets([key]),
  });

  expect(child).toEqual({ PATH: "/bin" });
});
