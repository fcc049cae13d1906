import { rm } from "node:fs/promises";
import { join } from "node:path";
import { alice, CheckoutBench } from "../../test/support/checkouts.ts";
import { gitIn } from "../../test/support/repository.ts";
import { alternate } from "../lib/alternate.ts";
import { formatCount, formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { makeLarge } from "./repository.ts";

const files = 5_000;

/** Making a checkout, beside what git does for a linked worktree. */
export async function measureCheckouts(directory: string): Promise<Section> {
  const root = await makeLarge(join(directory, "work"), files);
  const bench = new CheckoutBench({ root, directory }, {});
  const worktree = join(directory, "worktree");
  const kinds = {
    "git worktree add": async () => {
      const start = performance.now();
      await gitIn(root, "worktree", "add", "-q", "--detach", worktree);
      const ms = performance.now() - start;
      await gitIn(root, "worktree", "remove", "--force", worktree);
      return ms;
    },
    "a checkout": async () => {
      const start = performance.now();
      await bench.make();
      const ms = performance.now() - start;
      await bench.checkouts.retire(alice);
      await rm(join(bench.directory, "retired"), { recursive: true });
      return ms;
    },
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const timesOf = await alternate(names, (name) => kinds[name]());
  const ratio = medianRatio(timesOf("a checkout"), timesOf("git worktree add"));
  return {
    title: "Making a checkout",
    about: `Of a repository with ${formatCount(files)} files; a round makes one of each.`,
    table: {
      head: ["", "median", "best"],
      rows: names.map((name) => [
        name,
        formatMs(median(timesOf(name))),
        formatMs(Math.min(...timesOf(name))),
      ]),
    },
    targets: [
      {
        what: `a checkout of ${formatCount(files)} files / git worktree add`,
        figure: formatNumber(ratio),
        target: "≤ 1.2",
        isMet: ratio <= 1.2,
      },
    ],
  };
}
