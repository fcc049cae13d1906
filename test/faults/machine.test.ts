import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openMailbox } from "../../soak/desk.ts";
import { fillDisk, useUpDescriptors } from "../../soak/exhaustion.ts";
import { DirectoryWatch } from "../../src/lib/directory-watch.ts";
import { lead } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { systemError } from "../../src/testing/patched-fs.ts";
import { openBox, temporaryDirectory } from "../support/file-mailbox.ts";

const nothingWrong = { lost: 0, twice: 0, torn: 0, misordered: 0 };

test("a full disk refuses sends and loses nothing, and work continues when space is free", async ({
  skip,
}) => {
  const tally = await fillDisk();
  if (!tally) return skip("a small disk cannot be mounted here; the errors of ENOSPC are swept");

  expect(tally).toMatchObject({ ...nothingWrong, sentAfterwards: 20 });
  expect(tally.refused).toBeGreaterThan(0);
  // The control: a file that is replaced without care is neither the old one nor the new one.
  expect([1_000, 20_000]).not.toContain(tally.naivelyKept);
});

test("with only 64 open files there are errors for a while, but no loss, and work continues", async () => {
  const tally = await useUpDescriptors();

  expect(tally).toMatchObject({ ...nothingWrong, sentAfterwards: 20 });
  expect(tally.refused).toBeGreaterThan(0);
});

test("without inotify a mailbox wakes its reader within a second", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "inbox"));
  const clock = new ManualClock();
  const fallbacks: string[] = [];
  using watch = new DirectoryWatch({
    directory: join(directory.path, "inbox"),
    clock,
    onFallback: (reason) => fallbacks.push(reason),
    watch: () => {
      throw systemError("EMFILE");
    },
  });
  await using box = await openBox(directory.path, { clock, watch });
  await using elsewhere = openMailbox({ directory: directory.path, clock });
  const woken = new Promise<void>((resolve) => box.reader.onWake(resolve));

  await elsewhere.append({ type: "message", from: lead, content: "hello" });
  clock.advance(1000);
  await woken;

  expect(fallbacks).toHaveLength(1);
  expect(await box.reader.unread()).toHaveLength(1);
});
