import { formatCount } from "../../bench/lib/format.ts";
import { publish } from "../../bench/lib/report.ts";
import type { LandingTally } from "./kill-landings.ts";
import { wrongs } from "./verify.ts";

interface Figures {
  tally: LandingTally;
  /** Of a queue that moves the target without comparing. */
  blind: LandingTally;
  /** Of a queue that does not look whether work is in the target already. */
  forgetful: LandingTally;
  seed: number;
  seconds: number;
}

const names: Readonly<Record<(typeof wrongs)[number], string>> = {
  lost: "work or commits lost",
  twice: "landed twice",
  unchecked: "landed although the check forbids it",
  unfinished: "landings left undone",
  disturbed: "changes of the person's directory, index or branch",
  damaged: "faults that git fsck finds, or damaged records",
  litter: "temporary files left",
};

/** Writes the counts into docs/benchmarks.md. */
export async function writeFigures(figures: Figures): Promise<void> {
  const { tally, blind, forgetful, seed, seconds } = figures;
  const row = (name: string, of: LandingTally) => [
    name,
    ...[of.kills, of.stories, of.landings, of.landed].map(formatCount),
    ...[of.lost, of.twice].map(formatCount),
  ];
  await publish({
    title: "Kills while work is kept and landed",
    command: "npm run soak:landing -- --write",
    about: `Three members work in checkouts of a repository in which the person has staged, changed and untracked files: they edit the same lines and others, add, remove, rename and link files, and commit. The process that makes the checkouts, keeps the work, checks and lands it, and retires the checkouts is killed with SIGKILL at random moments, in part together with the git that it runs, and started again; meanwhile the person commits to the target. Took ${formatCount(seconds)} s; seed ${seed}.`,
    date: new Date(),
    sections: [
      {
        title: "SIGKILLs",
        about: `${formatCount(tally.withGit)} of the kills ended git, too. After every life, all refs that have ever kept work are compared, and the person's directory, index, HEAD and branch byte for byte; after every life that was not killed, what is kept of each checkout is compared with its files as plain git sees them. The controls are queues with one fault.`,
        table: {
          head: ["queue", "kills", "stories", "landings", "landed", "lost", "landed twice"],
          rows: [
            row("as it is", tally),
            row("control: moves the target without comparing", blind),
            row("control: forgets what has landed", forgetful),
          ],
        },
        targets: wrongs.map((wrong) => ({
          what: `${formatCount(tally.kills)} SIGKILLs: ${names[wrong]}`,
          figure: formatCount(tally[wrong]),
          target: "0",
          isMet: tally[wrong] === 0,
        })),
      },
    ],
  });
}
