import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { DirectoryWatch } from "../../src/lib/directory-watch.ts";

/** What a program writes into a file, without space around it, as soon as there is any. */
export async function fileText(path: string): Promise<string> {
  return untilChanged(path, async () => {
    const text = existsSync(path) ? (await readFile(path, "utf8")).trim() : "";
    return text === "" ? undefined : text;
  });
}

/** What `look` finds, as soon as it finds something. It looks again whenever the file has changed. */
export async function untilChanged<Found>(
  path: string,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  using watch = new DirectoryWatch({
    directory: dirname(path),
    clock: systemClock,
    onFallback: () => undefined,
  });
  let wake = () => {};
  watch.subscribe(basename(path), () => wake());
  while (true) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const found = await look();
    if (found !== undefined) return found;
    await changed;
  }
}
