import type { Git } from "../../git/git.ts";
import { maxFileBytes, type VersionContent } from "./changes.ts";
import { tooLarge } from "./current-file.ts";

/** So much is read of all objects together. */
const maxObjectBytes = 16 * 1024 * 1024;

/** The contents of files, by their objects. */
export async function readObjects(
  git: Git,
  objects: readonly string[],
): Promise<Map<string, VersionContent>> {
  const contents = new Map<string, VersionContent>();
  if (objects.length === 0) return contents;
  const input = objects.map((object) => `${object}\n`).join("");
  const sizes = await git.run(["cat-file", "--batch-check"], { input });
  let bytes = 0;
  const wanted: string[] = [];
  for (const line of sizes.output.toString("utf8").split("\n")) {
    const [object = "", type, size] = line.split(" ");
    if (type !== "blob") continue;
    bytes += Number(size) > maxFileBytes ? 0 : Number(size);
    if (Number(size) > maxFileBytes || bytes > maxObjectBytes) contents.set(object, tooLarge);
    else wanted.push(object);
  }
  const batch = wanted.map((object) => `${object}\n`).join("");
  const { output } = await git.run(["cat-file", "--batch"], { input: batch });
  for (const [object, content] of blobsIn(output)) {
    contents.set(object, { type: "content", bytes: content });
  }
  return contents;
}

/** Each is `<object> blob <size>`, a newline, the content and a newline. */
function* blobsIn(output: Buffer): Generator<[object: string, bytes: Buffer]> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf("\n", at);
    if (end < 0) return;
    const [object = "", type, size] = output.toString("utf8", at, end).split(" ");
    const from = end + 1;
    if (type === "blob") yield [object, output.subarray(from, from + Number(size))];
    at = type === "blob" ? from + Number(size) + 1 : from;
  }
}
