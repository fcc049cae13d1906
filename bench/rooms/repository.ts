import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeRepository } from "../../test/support/repository.ts";

const filesPerFolder = 100;

/** The path of the file with a number. */
function pathOf(number: number): string {
  return `folder-${Math.floor(number / filesPerFolder)}/file-${number}.ts`;
}

/** What a file has at first, or after its `change`. */
function contentOf(number: number, change = 0): string {
  const lines = Array.from({ length: 20 }, (_, line) => `export const x${line} = ${number};\n`);
  return `// ${change}\n${lines.join("")}`;
}

/** A repository with so many files in one commit. */
export async function makeLarge(directory: string, count: number): Promise<string> {
  for (let folder = 0; folder * filesPerFolder < count; folder++) {
    await mkdir(join(directory, `folder-${folder}`), { recursive: true });
  }
  for (let number = 0; number < count; number++) {
    await writeFile(join(directory, pathOf(number)), contentOf(number));
  }
  return await makeRepository(directory, {});
}

/** Changes `count` files of a checkout, from the one with the number `from` on. */
export async function changeFiles(
  directory: string,
  { from, count, change }: { from: number; count: number; change: number },
): Promise<void> {
  for (let number = from; number < from + count; number++) {
    await writeFile(join(directory, pathOf(number)), contentOf(number, change));
  }
}
