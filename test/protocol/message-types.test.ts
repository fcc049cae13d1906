import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, newRequestId } from "../../src/protocol/ids.ts";
import { Message } from "../../src/protocol/message.ts";
import {
  isNews,
  isOrder,
  isShown,
  messageTypes,
  wakes,
  wakesWhenQuiet,
} from "../../src/protocol/message-types.ts";

const request_id = newRequestId(new Date(0));
const plan = { request_id, plan: "This." };
const denied = { request_id, decision: "deny", reason: "" };
const asked = { request_id, tool: "bash", input: {}, reason: "" };

test.each([
  ["message", {}, true],
  ["broadcast", {}, true],
  ["task_assignment", { task_id: "1" }, true],
  ["plan_approval_request", plan, true],
  ["plan_approval_response", { request_id, approve: true }, true],
  ["shutdown_request", { request_id }, true],
  ["shutdown_request", { request_id, to: lead }, false],
  ["shutdown_response", { request_id, approve: true, reason: "" }, false],
  ["shutdown_response", { request_id, approve: false, reason: "" }, true],
  ["result", { outcome: "done" }, true],
  ["result", { outcome: "failed" }, true],
  ["result", { outcome: "interrupted" }, false],
  ["result", { outcome: "done", woken_by_peers: true }, false],
  ["teammate_terminated", { name: "bob", reason: "" }, true],
  ["teammate_terminated", { name: "bob", reason: "", expected: true }, false],
  ["idle_notification", {}, false],
  ["permission_request", asked, false],
  ["permission_response", denied, false],
  ["team_permission_update", { rule: "bash", decision: "allow" }, false],
  ["mode_set_request", { mode: "plan" }, false],
])("P03 P05 a %s with %o starts a run at once: %s", (type, fields, expected) => {
  expect(wakes(sent(type, fields))).toBe(expected);
});

test.each([
  ["result", { outcome: "done", woken_by_peers: true }, true],
  ["result", { outcome: "interrupted" }, false],
  ["idle_notification", {}, false],
  ["message", {}, false],
])("a %s with %o starts a run eventually: %s", (type, fields, expected) => {
  expect(wakesWhenQuiet(sent(type, fields))).toBe(expected);
});

test("only the types of permissions, withdrawals and decisions on landings are read by the runtime alone", () => {
  const hidden = Object.keys(messageTypes).filter((type) => !isShown({ type }));

  expect(hidden).toEqual([
    ...["permission_request", "permission_response", "team_permission_update"],
    ...[
      "mode_set_request",
      "withdraw_request",
      "sandbox_permission_request",
      "sandbox_permission_response",
      "landing_decision",
    ],
  ]);
  const control = Object.entries(messageTypes).filter(([, { group }]) => group === "control");
  expect(control.map(([type]) => type)).toEqual(hidden);
});

test("an observer is not shown messages for the runtime only, nor idle notices", () => {
  const types = Object.keys(messageTypes);

  const quiet = types.filter((type) => !isNews({ type }));

  expect(quiet).toEqual(types.filter((it) => !isShown({ type: it }) || it === "idle_notification"));
});

test("an unknown type is shown", () => {
  expect([isShown({ type: "constructor" }), isNews({ type: "poem" })]).toEqual([true, true]);
});

test.each([
  ["permission_response", denied, { user: true, lead: false }],
  ["plan_approval_response", { request_id, approve: true }, { user: true, lead: false }],
  ["shutdown_request", { request_id }, { user: true, lead: false }],
  ["team_permission_update", { rule: "bash", decision: "allow" }, { user: true, lead: false }],
  ["mode_set_request", { mode: "plan" }, { user: true, lead: true }],
  ["message", {}, { user: false, lead: false }],
])("P13 a %s with %o is an order of these: %o", (type, fields, orderedBy) => {
  for (const [from, expected] of Object.entries(orderedBy)) {
    expect(isOrder(sent(type, { ...fields, from }))).toBe(expected);
  }
  expect(isOrder(sent(type, { ...fields, from: "bob" }))).toBe(false);
});

/**
 * The files that may list types: the table, the handlers of orders, a model that reads its mail, and
 * the tools, some of which have the names of types.
 */
const homes = [
  ...["src/protocol/message-types.ts", "src/team/supervisor.ts"],
  ...["src/model/rehearsal/mail.ts", "src/model/rehearsal/teammate.ts"],
  "src/tools/team/team-tools.ts",
];

const sources = ["src", "web/src"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path)),
);

test("only the table lists types of messages", () => {
  const found = sources.filter((path) => listsTypes(readFileSync(path, "utf8")));

  expect(found).toEqual(expect.arrayContaining(homes));
  expect(found.filter((path) => !homes.includes(path))).toEqual([]);
});

test.each([
  'const quiet = new Set(["idle_notification", "mode_set_request"]);',
  'switch (type) { case "message": case "task_assignment": return true; }',
  'if (type === "message" || type === "task_assignment") return;',
  'type Order = "shutdown_request" | "mode_set_request";',
  "const words = { message: 1, task_assignment: 2 };",
])("control: a list such as %j would be found", (text) => {
  expect(listsTypes(text)).toBe(true);
});

test.each([
  'if (type === "task_assignment") return;',
  'const post = { type: "shutdown_request", message: "" };',
  'const items = ["message", "result"];',
])("control: a single type is not a list: %j", (text) => {
  expect(listsTypes(text)).toBe(false);
});

/** Whether one expression or type of `text` names two types. Two words that others use too are none. */
function listsTypes(text: string): boolean {
  const source = ts.createSourceFile("a.tsx", text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): boolean => {
    const names = new Set(namesIn(node).filter((name) => Object.hasOwn(messageTypes, name)));
    const isList = names.size > 1 && [...names].some((name) => name.includes("_"));
    return isList || (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
  };
  return visit(source);
}

/** What an array, an object, a switch, a chain of comparisons or a union names. */
function namesIn(node: ts.Node): string[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(literal);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap(literal);
  if (ts.isCaseBlock(node)) {
    return node.clauses.flatMap((it) => (ts.isCaseClause(it) ? literal(it.expression) : []));
  }
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap(({ name }) =>
      name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? [name.text] : [],
    );
  }
  return ts.isBinaryExpression(node) ? operands(node) : [];
}

function operands(node: ts.Expression): string[] {
  return ts.isBinaryExpression(node)
    ? [...operands(node.left), ...operands(node.right)]
    : literal(node);
}

function literal(node: ts.Node): string[] {
  if (ts.isLiteralTypeNode(node)) return literal(node.literal);
  return ts.isStringLiteral(node) ? [node.text] : [];
}

function sent(type: string, fields: object): Message {
  return Message.parse({
    ...{ id: newMessageId(new Date(0)), type, from: "bob", to: MemberName.parse("alice") },
    ...{ content: "", timestamp: 1, ...fields },
  });
}
