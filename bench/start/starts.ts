import { once } from "node:events";
import { alternate } from "../lib/alternate.ts";
import { formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { atMost } from "../team/at-most.ts";
import { type Screen, screenReadyMs } from "./screen.ts";
import { ended, type Stage, type StartOptions } from "./stage.ts";

/** A start is short and varies a lot, so many are measured. */
export const starts = 25;

const kinds = [
  "bare",
  "version",
  "send",
  "request",
  "uncached",
  "shell-bare",
  "shell-request",
  "screen",
] as const;
type Kind = (typeof kinds)[number];

const what: Record<Kind, string> = {
  bare: "`node -e 0`, until its end",
  version: "`troupe --version`, until its end",
  send: "`troupe send`, until its end",
  request: "`troupe run`, until its first request has arrived",
  uncached: "the same without a code cache, as at the very first start",
  "shell-bare": "`node -e 0` in the environment of the shell",
  "shell-request": "`troupe run` in the same, until its first request has arrived",
  screen: "`troupe` in the same, until its prompt is on the screen",
};

/** The highest cost allowed for each start, in starts of a bare Node. */
const targets: Partial<Record<Kind, number>> = {
  version: 1.5,
  send: 2.5,
  request: 5,
  uncached: 9,
  screen: 6,
};

/** The time until the program has done its task. */
export async function measureStarts(stage: Stage, screen: Screen): Promise<Section> {
  const possible = kinds.filter((kind) => kind !== "screen" || screen.type === "there");
  const team = await makeTeam(stage);
  // The first start of each writes the code cache that all later starts use.
  for (const kind of ["request", "send"] as const) await startMs(kind, stage, team);
  const figures = await alternate(possible, (kind) => startMs(kind, stage, team), starts);
  const ratio = (kind: Kind) => medianRatio(figures(kind), figures(comparedWith(kind)));
  const unmeasured = screen.type === "missing" ? ` Not measured: ${screen.reason}.` : "";
  return {
    title: "Until it is there",
    about: `The package as a user installs it, each time in a new directory and against a provider on loopback, with nothing of the shell's environment but the path, bare Node too. The last three rows are in the environment of the shell that measures. ${nodeSettings()} One start before leaves the code cache that the others use.${unmeasured}`,
    table: {
      head: ["", "took", "/ bare Node"],
      rows: possible.map((kind) => [
        what[kind],
        formatMs(median(figures(kind))),
        formatNumber(ratio(kind)),
      ]),
    },
    targets: possible.flatMap((kind) => {
      const target = targets[kind];
      if (target === undefined) return [];
      const format = (value: number) => `${formatNumber(value)} ×`;
      return [atMost(what[kind], { figure: ratio(kind), target, format })];
    }),
  };
}

function comparedWith(kind: Kind): Kind {
  return kind === "screen" || kind === "shell-request" ? "shell-bare" : "bare";
}

/** The variables that Node itself reads: they may take longer than the rest of Node's start. */
function nodeSettings(): string {
  const names = Object.keys(process.env).filter((name) => name.startsWith("NODE_"));
  if (names.length === 0) return "Nothing in it changes how Node starts.";
  return `It has ${names.map((name) => `\`${name}\``).join(", ")}, which every Node reads at its start there.`;
}

/** How to start a program with a team that is not running. */
interface TeamAtRest {
  argv: readonly string[];
  options: StartOptions;
}

async function makeTeam(stage: Stage): Promise<TeamAtRest> {
  const options = { isBare: true, env: { XDG_STATE_HOME: stage.pathOf("team-state") } };
  const argv = ["--team-dir", stage.pathOf("team")];
  await ended(await stage.startNode([stage.program, "run", "Say hi.", ...argv], options));
  return { argv, options };
}

async function startMs(kind: Kind, stage: Stage, team: TeamAtRest): Promise<number> {
  const { program } = stage;
  const run = [program, "run", "Say hi."];
  const isBare = true;
  switch (kind) {
    case "bare":
      return untilEndMs(stage, ["-e", "0"], { isBare });
    case "version":
      return untilEndMs(stage, [program, "--version"], { isBare });
    case "send":
      return untilEndMs(stage, [program, "send", "lead", "hi", ...team.argv], team.options);
    case "request":
      return untilRequestMs(stage, run, { isBare });
    case "uncached":
      return untilRequestMs(stage, run, { isBare, env: { TROUPE_NO_CODE_CACHE: "1" } });
    case "screen":
      return screenReadyMs(stage);
    case "shell-bare":
      return untilEndMs(stage, ["-e", "0"]);
    case "shell-request":
      return untilRequestMs(stage, run);
  }
}

/** The time until a program ends. */
export async function untilEndMs(
  stage: Stage,
  argv: readonly string[],
  options?: StartOptions,
): Promise<number> {
  const begunMs = performance.now();
  await ended(await stage.startNode(argv, options));
  return performance.now() - begunMs;
}

/** The time until a program's first request has arrived. */
export async function untilRequestMs(
  stage: Stage,
  argv: readonly string[],
  options?: StartOptions,
): Promise<number> {
  const { provider } = stage;
  const before = provider.requests.length;
  const begunMs = performance.now();
  const child = await stage.startNode(argv, options);
  const exit = once(child, "exit");
  const arrived = provider.until(() => provider.requests.length > before);
  await Promise.race([arrived, exit]);
  const tookMs = performance.now() - begunMs;
  await exit;
  await ended(child);
  return tookMs;
}
