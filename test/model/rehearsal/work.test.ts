import { expect, test } from "vitest";
import { fileContent } from "../../../src/model/rehearsal/file-content.ts";
import { understandWork } from "../../../src/model/rehearsal/work.ts";

const understood: [string, object[]][] = [
  [
    "Create a file called schema.sql with a users table.",
    [{ type: "create-file", path: "schema.sql", about: "a users table" }],
  ],
  [
    'Write docs/a.md with "One. Two."',
    [{ type: "create-file", path: "docs/a.md", text: "One. Two." }],
  ],
  ['Create a file named "Makefile"', [{ type: "create-file", path: "Makefile" }]],
  [
    "Write a.txt and check it. Then read b.txt.",
    [
      { type: "create-file" },
      { type: "check-file", path: "a.txt" },
      { type: "check-file", path: "b.txt" },
    ],
  ],
  [
    "Check if schema.sql exists and list its contents.",
    [{ type: "check-file", path: "schema.sql" }],
  ],
  ["Send bob a message.", [{ type: "send", to: "bob" }]],
  ["Send a message to Bob saying that it works", [{ type: "send", to: "bob", text: "it works" }]],
  ['Tell bob "hello"', [{ type: "send", to: "bob", text: "hello" }]],
  ["Ask bob to hurry", [{ type: "send", to: "bob", text: "Please hurry." }]],
  ["Greet bob", [{ type: "send", to: "bob" }]],
  ["Run `ls -la`", [{ type: "run", command: "ls -la" }]],
  ["List the files in the workspace", [{ type: "list-files" }]],
  ["Look for TODO in the files", [{ type: "search", text: "TODO" }]],
  ["Count the files in the directory", [{ type: "count-files" }]],
  ["Submit a plan", [{ type: "plan" }]],
  ["You have no work yet. Mail brings it.", [{ type: "wait" }]],
  ["Prove Fermat's theorem", []],
];
test.each(understood)("%j is understood as %j", (text, expected) => {
  expect(understandWork(text)).toEqual(expected.map((work) => expect.objectContaining(work)));
});

test("a table gets columns that fit it, and several tables are several", () => {
  expect(fileContent("schema.sql", "a users table")).toMatch(
    /^CREATE TABLE users \([^)]*email[^)]*\);\n$/,
  );
  expect(fileContent("s.sql", "a users table and an orders table")).toMatch(
    /users.*CREATE TABLE orders/s,
  );
  expect(fileContent("stock.sql", "")).toContain("CREATE TABLE stock (");
});

test.each(["a.md", "a.json", "a.ts", "a.py", "a.sh", "a.html", "a.txt", "Makefile"])(
  "%s gets something that ends with a line",
  (path) => {
    expect(fileContent(path, "a short story")).toMatch(/short story[\s\S]*\n$/i);
  },
);
