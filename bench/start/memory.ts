import { text } from "node:stream/consumers";
import { rounds } from "../lib/alternate.ts";
import { formatMegabytes } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";
import { atMost } from "../team/at-most.ts";
import { ended, type Stage, type StartOptions } from "./stage.ts";

const maxBytes = 100e6;

/** The peak memory of a run of two turns. `preload` reports it at the program's end. */
export async function measureMemory(stage: Stage, preload: string): Promise<Section> {
  const run: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await peakBytes(stage, ["--import", preload, "-e", "0"]));
    run.push(await peakBytes(stage, ["--import", preload, stage.program, "run", "Say hi."]));
  }
  return {
    title: "Memory",
    about:
      "The peak of the process's resident memory in a headless run of two turns: the model calls `bash` with `echo hi`, and answers.",
    table: {
      head: ["", "at most"],
      rows: [
        ["`node -e 0`", formatMegabytes(median(bare))],
        ["`troupe run`", formatMegabytes(median(run))],
      ],
    },
    targets: [
      atMost("two turns of `troupe run`: peak memory of the process", {
        figure: median(run),
        target: maxBytes,
        format: formatMegabytes,
      }),
    ],
  };
}

/** The peak resident memory of a program that is started with `preload`. */
export async function peakBytes(
  stage: Stage,
  argv: readonly string[],
  options?: StartOptions,
): Promise<number> {
  const stdio: StartOptions["stdio"] = ["ignore", "ignore", "ignore", "pipe"];
  const child = await stage.startNode(argv, { ...options, stdio });
  const told = child.stdio[3];
  if (!told || !("read" in told)) throw new Error("The child has no descriptor to tell it on");
  const [kibibytes] = await Promise.all([text(told), ended(child)]);
  return Number(kibibytes) * 1024;
}
