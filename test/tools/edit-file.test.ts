import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Scene, type SceneMember } from "../workspace/fixture.ts";

test("one occurrence is replaced", async () => {
  await using scene = await Scene.open({ "a.ts": "let a = 1;\nlet b = 2;\n" });
  const member = await reader(scene, "a.ts");

  const output = await edit(member, "a.ts", "let b = 2;", "const b = 3;");

  expect(output).toEqual({ text: "Edited a.ts", isError: false });
  expect(await readFile(scene.path("a.ts"), "utf8")).toBe("let a = 1;\nconst b = 3;\n");
});

test("a missing text is reported as not found", async () => {
  await using scene = await Scene.open({ "a.ts": "something\n" });
  const member = await reader(scene, "a.ts");

  const { text, isError } = await edit(member, "a.ts", "else", "x");

  expect(isError).toBe(true);
  expect(text.split("\n")[0]).toBe("Error: Text not found in a.ts");
});

test.each([
  [
    "other indentation",
    "if (x) {\n  run();\n}",
    "Line 2 has it with other spaces: \tif (x) {\n\t\trun();",
  ],
  ["another end", "if (x) {\n  stop();\n}", "Line 2 begins like it; line 3 differs: \t\trun();"],
])("a text with %s is not found, and the nearest place is reported", async (_, wanted, told) => {
  await using scene = await Scene.open({ "a.ts": "// first\n\tif (x) {\n\t\trun();\n\t}\n" });
  const member = await reader(scene, "a.ts");

  const { text } = await edit(member, "a.ts", wanted, "new");

  expect(text).toContain(`Error: Text not found in a.ts\n${told}`);
});

test("several occurrences are an error with their number, unless all are to be replaced", async () => {
  await using scene = await Scene.open({ "a.ts": "x x x" });
  const member = await reader(scene, "a.ts");

  expect((await edit(member, "a.ts", "x", "y")).text).toBe(
    "Error: The text occurs 3 times in a.ts. Give more of what is around it, or set replace_all.",
  );
  const all = { path: "a.ts", old_text: "x", new_text: "y", replace_all: true };
  expect(await member.text("edit_file", all)).toBe("Edited a.ts\n3 places");
  expect(await readFile(scene.path("a.ts"), "utf8")).toBe("y y y");
});

test("texts are literal, whatever they contain", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("$&", "$1", "$$", "\\n", ".*"),
  );
  await using scene = await Scene.open({ "a.txt": "" });
  const member = await scene.member();
  await fc.assert(
    fc.asyncProperty(text, text, text, text, async (before, old, young, after) => {
      const content = before + old + after;
      fc.pre(old !== "" && old !== young && content.split(old).length === 2);
      fc.pre(![content, young].some((it) => it.includes("\n")));
      // With a NUL it is no text.
      fc.pre(!content.includes("\0"));
      await scene.put("a.txt", content);
      await member.call("read_file", { path: "a.txt" });

      await edit(member, "a.txt", old, young);

      expect(await readFile(scene.path("a.txt"), "utf8")).toBe(before + young + after);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["over lines", "two\nthree", "2\n3\n4", "one\r\n2\r\n3\r\n4\r\nfour\r\n"],
  ["within a line", "two", "2\n2b", "one\r\n2\r\n2b\r\nthree\r\nfour\r\n"],
])("CRLF stays CRLF %s even if the model writes LF", async (_, old, young, result) => {
  await using scene = await Scene.open({ "a.txt": "one\r\ntwo\r\nthree\r\nfour\r\n" });
  const member = await reader(scene, "a.txt");

  await edit(member, "a.txt", old, young);

  expect(await readFile(scene.path("a.txt"), "utf8")).toBe(result);
});

test("a file of mixed line endings keeps them outside the edit", async () => {
  await using scene = await Scene.open({ "a.txt": "a\nb\nc\r\nd\r\ne\n" });
  const member = await reader(scene, "a.txt");

  await edit(member, "a.txt", "c\nd", "C\nD");
  await edit(member, "a.txt", "a\nb", "A\nB");

  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("A\nB\nC\r\nD\r\ne\n");
});

test("the byte order mark is kept", async () => {
  await using scene = await Scene.open({ "a.txt": "\uFEFFfirst\n" });
  const member = await reader(scene, "a.txt");

  await edit(member, "a.txt", "first", "1st");

  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("\uFEFF1st\n");
});

test("P21 a file that was not read, or changed since, is not edited", async () => {
  await using scene = await Scene.open({ "a.txt": "one\ntwo\n" });
  const member = await scene.member();

  expect((await edit(member, "a.txt", "two", "2")).text).toContain("read it first with read_file");
  await member.call("read_file", { path: "a.txt" });
  await scene.put("a.txt", "ONE\ntwo\n");
  expect((await edit(member, "a.txt", "two", "2")).text).toContain("-one\n+ONE");
  expect(await readFile(scene.path("a.txt"), "utf8")).toBe("ONE\ntwo\n");
  expect((await edit(member, "a.txt", "two", "2")).text).toBe("Edited a.txt");
});

test("an invalid edit is an error that says what would be valid", async () => {
  await using scene = await Scene.open({
    "a.txt": "a",
    "latin.txt": Buffer.from("caf\xe9", "latin1"),
  });
  const member = await reader(scene, "a.txt");
  await member.call("read_file", { path: "latin.txt" });
  const told = async (path: string, old: string, young: string) =>
    (await edit(member, path, old, young)).text;

  expect(await told("a.txt", "", "x")).toContain("old_text is empty");
  expect(await told("a.txt", "a", "a")).toContain("are the same");
  expect(await told("missing/b.txt", "a", "b")).toBe(
    "Error: missing/b.txt does not exist. Make it with write_file.",
  );
  expect(await told("latin.txt", "caf", "CAF")).toContain("is not UTF-8 text");
});

test("P25 an edit that would make a file too large is refused", async () => {
  await using scene = await Scene.open({ "a.txt": "x".repeat(100_000) });
  const member = await reader(scene, "a.txt");
  const input = { path: "a.txt", old_text: "x", new_text: "y".repeat(1000), replace_all: true };

  expect(await member.text("edit_file", input)).toContain("would become larger");
});

async function reader(scene: Scene, path: string): Promise<SceneMember> {
  const member = await scene.member();
  await member.call("read_file", { path });
  return member;
}

function edit(member: SceneMember, path: string, old_text: string, new_text: string) {
  return member.call("edit_file", { path, old_text, new_text });
}
