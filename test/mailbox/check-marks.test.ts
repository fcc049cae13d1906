import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LogHead } from "../../src/lib/log-head.ts";
import { segmentPath } from "../../src/lib/segments.ts";
import { checkMarks } from "../../src/mailbox/check-marks.ts";
import { mailLayout } from "../../src/mailbox/mail-layout.ts";
import { newSource } from "../../src/mailbox/mail-source.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** Two segments and a live log, all marked. `check` tells what is warned of and still marked. */
async function markedMailbox(directory: string) {
  const layout = mailLayout(join(directory, "inbox"), MemberName.parse("ada"));
  await mkdir(join(directory, "inbox", ".ada"), { recursive: true });
  const segments = [1, 2].map((n) => String(segmentPath(layout.directory, n)));
  const paths = [...segments, String(layout.live)];
  for (const path of paths) await writeFile(path, "one\ntwo\n");
  const head = await LogHead.open(join(directory, "head"), { onWarning: () => undefined });
  head.advance(paths.map((path, index) => ({ generation: index + 1, path, bytes: 8 })));
  const check = async (...sources: ReturnType<typeof newSource>[]) => {
    const warnings: string[] = [];
    await checkMarks({ head, layout, sources, onWarning: (message) => warnings.push(message) });
    return { warnings, marked: head.marks.map(({ generation }) => generation) };
  };
  return { layout, paths, check };
}

test("unchanged logs cause no warning, and stay marked", async () => {
  await using directory = await temporaryDirectory();
  const { layout, check } = await markedMailbox(directory.path);

  const live = newSource({ path: layout.live, generation: 3 });

  expect(await check(live)).toEqual({ warnings: [], marked: [1, 2, 3] });
});

test.each([
  [0, "was changed"],
  [1, "was changed"],
  [2, "was changed"],
  [0, "is missing or empty"],
  [2, "is missing or empty"],
])("the marked log at %d that %s causes one warning", async (index, problem) => {
  await using directory = await temporaryDirectory();
  const { layout, paths, check } = await markedMailbox(directory.path);
  const path = paths[index] ?? "";
  if (problem === "was changed") await writeFile(path, "one\ntwx\n");
  else await rm(path);
  const live = newSource({ path: layout.live, generation: 3 });

  expect(await check(live)).toEqual({
    warnings: [expect.stringContaining(`${path} ${problem}: mail in it`)],
    marked: [1, 2, 3].filter((generation) => generation !== index + 1),
  });
  expect((await check(live)).warnings).toEqual([]);
});

test("a live log known to be replaced causes no second warning", async () => {
  await using directory = await temporaryDirectory();
  const { layout, check } = await markedMailbox(directory.path);
  await writeFile(String(layout.live), "three\n");

  const live = newSource({ path: layout.live, generation: 4, isAnother: true });

  expect(await check(live)).toEqual({ warnings: [], marked: [1, 2] });
});

test("a segment known to be replaced causes no second warning, and its mark is dropped", async () => {
  await using directory = await temporaryDirectory();
  const { layout, paths, check } = await markedMailbox(directory.path);
  const segment = newSource({ path: paths[1] ?? "", generation: 2, isAnother: true });
  await writeFile(paths[1] ?? "", "three\n");

  const live = newSource({ path: layout.live, generation: 3 });

  expect(await check(segment, live)).toEqual({ warnings: [], marked: [1, 3] });
});

test("a segment before a replaced live log is still checked", async () => {
  await using directory = await temporaryDirectory();
  const { layout, paths, check } = await markedMailbox(directory.path);
  await writeFile(paths[1] ?? "", "one\ntwx\n");
  const segment = newSource({ path: paths[1] ?? "", generation: 2 });

  const live = newSource({ path: layout.live, generation: 3, isAnother: true });
  const { warnings } = await check(segment, live);

  expect(warnings).toEqual([expect.stringContaining(`${paths[1]} was changed`)]);
});
