import { appendFile, mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Editor } from "../../../src/cli/screen/editor.ts";
import { InputHistory } from "../../../src/cli/screen/input-history.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";

function open(path: string, warnings: string[] = []): Promise<InputHistory> {
  const mask = (text: string) => text.replaceAll("secret-key", "[key]");
  return InputHistory.open({ path, mask, onWarning: (message) => warnings.push(message) });
}

/** Everything in a history, newest first. */
function entries(history: InputHistory): string[] {
  const found: string[] = [];
  for (let text = history.older(""); text !== undefined; text = history.older("")) found.push(text);
  return found;
}

test("goes back and forward, and keeps the unsent text", async () => {
  await using directory = await temporaryDirectory();
  const history = await open(join(directory.path, "history.jsonl"));
  history.add("one");
  history.add("two");

  expect(history.newer()).toBeUndefined();
  expect(history.older("draft")).toBe("two");
  expect(history.older("two")).toBe("one");
  expect(history.older("one")).toBeUndefined();
  expect(history.newer()).toBe("two");
  expect(history.newer()).toBe("draft");
});

const images = (...paths: string[]) => ({ images: paths, pastes: [] });

test("what was sent with images is brought back with them, also in the next process", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  const history = await open(path);
  history.add("look", images("/a/one.png"));
  history.add("look", images("/a/secret-key.png"));
  history.older("draft", images("/a/draft.png"));

  expect(history.heldIn("look").images).toEqual(["/a/secret-key.png"]);
  expect(history.older("look")).toBe("look");
  expect(history.heldIn("look").images).toEqual(["/a/one.png"]);
  history.newer();
  history.newer();
  expect(history.heldIn("draft").images).toEqual(["/a/draft.png"]);
  expect(history.heldIn("other").images).toEqual([]);
  const next = await open(path);
  expect(next.older("")).toBe("look");
  expect(next.heldIn("look").images).toEqual(["/a/[key].png"]);
});

test("what was pasted is known in the next process, without the secrets in it", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  const pasted = "1\n2\n3 secret-key\n4\n5\n6";
  (await open(path)).add(`look: ${pasted}`, { images: [], pastes: [pasted] });

  const next = await open(path);
  const text = next.older("") ?? "";

  expect(next.heldIn(text).pastes).toEqual(["1\n2\n3 [key]\n4\n5\n6"]);
  expect(Editor.of(text, next.heldIn(text)).text).toBe("look: [pasted 6 lines]");
});

test("repeated and empty texts are not kept", async () => {
  await using directory = await temporaryDirectory();
  const history = await open(join(directory.path, "history.jsonl"));
  for (const text of ["a", "a", " ", "b", "a"]) history.add(text);

  expect(entries(history)).toEqual(["a", "b", "a"]);
});

test("is available in the next process, in a private file", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "state", "history.jsonl");
  (await open(path)).add("two\nlines");

  expect(entries(await open(path))).toEqual(["two\nlines"]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("P25 a file of any size is read from its end and set aside, without a warning", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  await writeFile(path, "");
  await truncate(path, 2 ** 30);
  await appendFile(path, `\n${JSON.stringify({ text: "newest" })}\n`);
  const warnings: string[] = [];

  const history = await open(path, warnings);
  history.add("next");

  expect(entries(history)).toEqual(["next", "newest"]);
  expect(entries(await open(path, warnings))).toEqual(["next", "newest"]);
  expect((await stat(path)).size).toBeLessThan(100);
  expect(warnings).toEqual([]);
});

test("two processes append to it", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  const [one, two] = [await open(path), await open(path)];
  one.add("a");
  two.add("b");
  one.add("c");

  expect(entries(await open(path))).toEqual(["c", "b", "a"]);
});

test("damaged lines are skipped, and a torn one is ended before the next", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  await writeFile(path, '{"text":"a"}\n\u0000\u0000\n[1]\n{"text":7}\n{"text":"b"}\n{"te');
  (await open(path)).add("c");

  expect(entries(await open(path))).toEqual(["c", "b", "a"]);
});

test("the newest 1,000 are kept, also when files are rotated", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  const lines = Array.from({ length: 2_500 }, (_, index) => `{"text":"${index}"}\n`);
  await writeFile(path, lines.join(""));
  const history = await open(path);
  history.add("new");
  await appendFile(path, '{"text":"other"}\n');

  const found = entries(await open(path));
  expect(found).toHaveLength(1_000);
  expect(found.slice(0, 3)).toEqual(["other", "new", "2499"]);
  expect(await readFile(path, "utf8")).toBe('{"text":"new"}\n{"text":"other"}\n');
});

test("a text too long for the file is kept for this process only", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  const history = await open(path);
  history.add("x".repeat(1_000_000));
  history.add("a");

  expect(entries(history)).toHaveLength(2);
  expect(entries(await open(path))).toEqual(["a"]);
});

test("if the file cannot be read or written, that is reported and nothing typed is lost", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  await mkdir(path);
  const warnings: string[] = [];
  const history = await open(path, warnings);
  history.add("kept");

  expect(warnings).toEqual([
    expect.stringMatching(/could not be read/),
    expect.stringMatching(/could not be written/),
  ]);
  expect(history.older("")).toBe("kept");
});

test("a typed secret is not in the file", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "history.jsonl");
  const history = await open(path);

  history.add("use secret-key for it");

  expect(await readFile(path, "utf8")).toBe('{"text":"use [key] for it"}\n');
  expect(history.older("")).toBe("use secret-key for it");
});
