import { formatCount, formatMs } from "../bench/lib/format.ts";
import { publish, type Section } from "../bench/lib/report.ts";
import type { Tally } from "./campaign.ts";

interface Figures {
  tally: Tally;
  seconds: number;
  seed: number;
  /** Read-only lines, and those of them that need approval. */
  lines: readonly string[];
  asked: readonly string[];
}

/** Writes the counts into docs/benchmarks.md. */
export async function writeFigures(figures: Figures): Promise<void> {
  await publish({
    title: "The judge of commands",
    command: "npm run fuzz:commands -- --write",
    about: `Lines are made from a grammar of bash and of the programs that only read, and from handwritten lines that are changed at random. \`TROUPE_SEED=${figures.seed}\` makes the same lines again.`,
    date: new Date(),
    sections: [generatedLines(figures), readingLines(figures)],
  });
}

function generatedLines({ tally, seconds }: Figures): Section {
  const { generated, run, hits, throws, slowestMs } = tally;
  return {
    title: "Generated lines",
    about:
      "Each is judged in `plan`, `default` and `acceptEdits`. What would run unasked runs in a sandbox, in a workspace full of traps, as the shell of a member runs it. A side effect is a file that was changed, something outside the workspace that was read, a program of the workspace that ran, a provider's key or a variable of the environment that was shown, a process that was left, or a connection.",
    table: {
      head: ["lines", "called harmless and run", "side effects", "throws", "slowest", "took"],
      rows: [
        [
          formatCount(generated),
          formatCount(run),
          formatCount(hits.length),
          formatCount(throws.length),
          formatMs(slowestMs),
          `${formatCount(seconds)} s`,
        ],
      ],
    },
    targets: [
      {
        what: `side effects of ${formatCount(generated)} generated lines`,
        figure: formatCount(hits.length),
        target: "0",
        isMet: hits.length === 0,
      },
    ],
  };
}

function readingLines({ lines, asked }: Figures): Section {
  return {
    title: "Lines that only read",
    about:
      "Handwritten, as developers and agents type them all day; judged in `default` without any rule.",
    table: { head: ["lines", "asked"], rows: [[String(lines.length), String(asked.length)]] },
    targets: [
      {
        what: "lines that only read and are asked about",
        figure: `${((100 * asked.length) / lines.length).toFixed(1)} %`,
        target: "≤ 5 %",
        isMet: asked.length <= lines.length * 0.05,
      },
    ],
  };
}
