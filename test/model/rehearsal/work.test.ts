import { expect, test } from "vitest";
import { fileContent } from "../../../src/model/rehearsal/work.ts";
import { Dialogue, mail, teammateSystem } from "./dialogue.ts";

const glob = (pattern: string) => ({ name: "glob", input: { pattern } });
const write = (path: string, content: unknown = expect.any(String)) => ({
  name: "write_file",
  input: { path, content },
});
const send = (to: string, content: unknown = expect.stringContaining(`Hello ${to}`)) => ({
  name: "send_message",
  input: { to, content },
});

const understood: [string, object[]][] = [
  [
    "Create a file called schema.sql with a users table.",
    [glob("schema.sql"), write("schema.sql", fileContent("schema.sql", "a users table"))],
  ],
  ['Write docs/a.md with "One. Two."', [glob("docs/a.md"), write("docs/a.md", "One. Two.\n")]],
  ['Create a file named "Makefile"', [glob("Makefile"), write("Makefile")]],
  [
    "Write a.txt and check it. Then read b.txt.",
    [glob("a.txt"), write("a.txt"), glob("a.txt"), glob("b.txt")],
  ],
  ["Check if schema.sql exists and list its contents.", [glob("schema.sql")]],
  ["Send bob a message.", [send("bob")]],
  ["Send a message to Bob saying that it works", [send("bob", "it works")]],
  ['Send a message to bob: "Green."', [send("bob", "Green.")]],
  ['Tell bob "hello"', [send("bob", "hello")]],
  ["Ask bob to hurry", [send("bob", "Please hurry.")]],
  ["Greet bob", [send("bob")]],
  ["Run `ls -la`", [{ name: "bash", input: { command: "ls -la" } }]],
  ["List the files in the workspace", [glob("**/*")]],
  ["Look for TODO in the files", [{ name: "grep", input: { pattern: "TODO" } }]],
  ["Count the files in the directory", [{ name: "bash", input: { command: "ls | wc -l" } }]],
  ["Submit a plan", [{ name: "plan_approval", input: { plan: expect.any(String) } }]],
  ["You have no work yet. Mail brings it.", []],
  ["Prove Fermat's theorem", []],
];
test.each(understood)("%j becomes %j", async (text, expected) => {
  const dialogue = new Dialogue(teammateSystem(), (name) =>
    name === "glob" ? "No matches" : undefined,
  );

  await dialogue.tell(mail("lead", "message", text));

  expect(dialogue.calls).toEqual(expected);
});

test("a table gets suitable columns, and several tables are created separately", () => {
  expect(fileContent("schema.sql", "a users table")).toMatch(
    /^CREATE TABLE users \([^)]*email[^)]*\);\n$/,
  );
  expect(fileContent("s.sql", "a users table and an orders table")).toMatch(
    /users.*CREATE TABLE orders/s,
  );
  expect(fileContent("stock.sql", "")).toContain("CREATE TABLE stock (");
});

test.each(["a.md", "a.json", "a.ts", "a.py", "a.sh", "a.html", "a.txt", "Makefile"])(
  "%s gets content that ends with a newline",
  (path) => {
    expect(fileContent(path, "a short story")).toMatch(/short story[\s\S]*\n$/i);
  },
);
