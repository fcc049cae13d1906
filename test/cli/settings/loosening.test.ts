import { expect, test } from "vitest";
import { loosenings, withoutLoosenings } from "../../../src/cli/settings/loosening.ts";
import { type StatedSettings, withDefaults } from "../../../src/cli/settings/settings.ts";

const router = {
  family: "openai-compatible",
  baseUrl: "https://a.example/v1",
  keyVariable: "A_KEY",
} as const;

const free = { price: { input: 0, output: 0 } };

const looser: [StatedSettings, StatedSettings][] = [
  [{ allow: ["bash"] }, {}],
  [{ allow: ["bash", "write_file"] }, { allow: ["bash"] }],
  [{ "permission-mode": "acceptEdits" }, {}],
  [{ "permission-mode": "default" }, { "permission-mode": "plan" }],
  [{ approvals: "wait" }, {}],
  [{ "plan-approval": "lead" }, { "plan-approval": "user" }],
  [{ "max-turns": 201 }, {}],
  [{ "max-turns": 11 }, { "max-turns": 10 }],
  [{ "max-cost": 11 }, { "max-cost": 10 }],
  [{ timeout: 11 }, { timeout: 10 }],
  [{ "background-wait": 61 }, {}],
  [{ "shutdown-grace": 31 }, {}],
  [{ "max-teammates": 33 }, {}],
  [{ autoclaim: true }, { autoclaim: false }],
  [{ model: "openai/x" }, {}],
  [{ effort: "low" }, {}],
  [{ effort: "max" }, { effort: "high" }],
  [{ "thinking-budget": 1_024 }, {}],
  [{ "thinking-budget": 2_000 }, { "thinking-budget": 1_999 }],
  [{ model: "replay:x" }, { model: "openai/x" }],
  [{ providers: { a: router } }, {}],
  [{ providers: { a: { ...router, baseUrl: "https://b.example" } } }, { providers: { a: router } }],
  [{ providers: { a: { ...router, keyVariable: "OTHER" } } }, { providers: { a: router } }],
  [{ providers: { a: router, b: router } }, { providers: { a: router } }],
  [
    { providers: { a: { ...router, headerVariables: { "x-a": "A" } } } },
    { providers: { a: router } },
  ],
  [{ sandbox: "off" }, { sandbox: "auto" }],
  [{ sandbox: "auto" }, { sandbox: "required" }],
  [{ "sandbox.network": "open" }, {}],
  [{ isolation: "shared" }, { isolation: "checkout" }],
  [{ base: "working" }, {}],
  [{ "checkout.link": ["a", "b"] }, { "checkout.link": ["a"] }],
  [{ "checkout.setup": "npm ci" }, {}],
  [{ "checkouts-dir": "/a" }, { "checkouts-dir": "/b" }],
  [{ "checkouts-keep": 6.5 }, {}],
  [{ target: "main" }, {}],
  [{ landing: "auto" }, { landing: "ask" }],
  [{ landing: "ask" }, {}],
  [{ check: "npm test" }, {}],
  [{ check: "npm test" }, { check: "npm run test" }],
  [{ "check-timeout": 700 }, {}],
  [{ "sandbox.write": ["/a", "/b"] }, { "sandbox.write": ["/a"] }],
  [{ "sandbox.deny-read": ["/a"] }, { "sandbox.deny-read": ["/a", "/b"] }],
  [{ "max-output": 32_001 }, {}],
  [{ "max-output": 11 }, { "max-output": 10 }],
  [{ models: { "openai/*": free } }, {}],
  [{ models: { "openai/*": free } }, { models: { "openai/x": free } }],
  [{ models: { a: { ...free, contextWindow: 9 } } }, { models: { a: free } }],
];

test.each(looser)("%j loosens %j", (theirs, own) => {
  const found = loosenings(theirs, withDefaults(own));

  expect(found.map(({ name }) => name)).toEqual(Object.keys(theirs));
  expect(withoutLoosenings(theirs, found)).toEqual({});
});

const stricter: [StatedSettings, StatedSettings][] = [
  [{ deny: ["bash"], ask: ["write_file"] }, {}],
  [{ allow: ["bash"] }, { allow: ["bash", "write_file"] }],
  [{ allow: [] }, {}],
  [{ sandbox: "required" }, { sandbox: "auto" }],
  [{ "sandbox.network": "off" }, { "sandbox.network": "open" }],
  [{ isolation: "checkout" }, {}],
  [{ base: "head" }, { base: "working" }],
  [{ "checkout.link": ["a"] }, { "checkout.link": ["a", "b"] }],
  [{ "checkout.setup": "npm ci" }, { "checkout.setup": "npm ci" }],
  [{ target: "next" }, { target: "next" }],
  [{ landing: "never" }, { landing: "auto" }],
  [{ landing: "ask" }, { landing: "ask" }],
  [{ check: "npm test" }, { check: "npm test" }],
  [{ "check-timeout": 500 }, {}],
  [{ "sandbox.write": [] }, { "sandbox.write": ["/a"] }],
  [{ "sandbox.deny-read": ["/a", "/b"] }, { "sandbox.deny-read": ["/b"] }],
  [{ "permission-mode": "plan" }, {}],
  [{ "permission-mode": "default" }, { "permission-mode": "acceptEdits" }],
  [{ "permission-mode": "default" }, {}],
  [{ approvals: "deny" }, { approvals: "wait" }],
  [{ approvals: "wait" }, { approvals: "wait" }],
  [{ "plan-approval": "user" }, {}],
  [{ "plan-approval": "lead" }, {}],
  [{ "max-turns": 200, "max-cost": 1_000, timeout: 1_000_000 }, {}],
  [{ "background-wait": 0, "shutdown-grace": 1, "max-teammates": 1 }, {}],
  [{ autoclaim: false }, {}],
  [{ autoclaim: true }, {}],
  [{ model: "openai/x" }, { model: "openai/x" }],
  [
    { effort: "low", "thinking-budget": 2_000 },
    { effort: "low", "thinking-budget": 2_000 },
  ],
  [{ effort: "none" }, { effort: "low" }],
  [{ providers: { a: router } }, { providers: { a: router, b: router } }],
  [{ providers: {} }, {}],
  [{ "max-output": 32_000 }, {}],
  [{ "max-output": 10 }, { "max-output": 10 }],
  [{ models: { a: free } }, { models: { a: free, b: free } }],
];

test.each(stricter)("%j does not loosen %j", (theirs, own) => {
  expect(loosenings(theirs, withDefaults(own))).toEqual([]);
});

test("the description of a loosening has its value and the value without it", () => {
  const rules = { allow: ["bash(a)", "bash(b)"], "max-cost": 5, model: "openai/x" };
  const price = {
    ...free.price,
    cacheRead: 1,
    cacheWrite1h: 4,
    long: { above: 9, input: 2, output: 3 },
  };
  const models = { b: free, "c/*": { price, contextWindow: 7, maxOutput: 8 } };
  const theirs = { ...rules, providers: { a: router, b: router }, models };
  const own = { "max-cost": 2, allow: ["bash(a)"], providers: { b: router }, models: { b: free } };

  const found = loosenings(theirs, withDefaults(own));

  expect(found.flatMap(({ lines }) => lines)).toEqual([
    "model: openai/x (without it: none)",
    "allow: bash(b)",
    "max-cost: 5 (without it: 2)",
    "providers: a: openai-compatible at https://a.example/v1, with the key in A_KEY",
    "models: c/*: input $0, output $0, cache-read $1, cache-write-1h $4, input $2, output $3 above 9 tokens, context-window 7, max-output 8",
  ]);
});
