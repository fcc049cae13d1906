import type { Io, Terminal } from "../../src/cli/command.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { TeamView } from "../../src/team/view/team-view.ts";

interface ScreenIo {
  readonly input: Terminal["input"];
  readonly output: Terminal["output"];
  readonly signal: AbortSignal;
  viewTeam?(): Promise<TeamView>;
}

/** What the screen needs of its process, on a terminal that is not one. */
export function screenIo({ input, output, signal, viewTeam = nothing }: ScreenIo): Io {
  return {
    ...{ out: () => undefined, err: () => undefined, viewTeam, openTeam: nothing },
    signal,
    dashboards: { serve: nothing, find: nothing, export: nothing },
    schedule: (delayMs, run) => systemClock.schedule(delayMs, run),
    isInputPiped: () => false,
    pipes: { input: process.stdin, output: process.stdout },
    processInfo: { cwd: ".", home: ".", env: {} },
    terminal: {
      input,
      output,
      isInteractive: true,
      hasColors: true,
      atExit: () => () => undefined,
      edit: nothing,
      passesThroughTmux: nothing,
      jobControl: { onStop: () => () => undefined, stop: () => undefined },
    },
  };
}

function nothing(): Promise<never> {
  return Promise.reject(new Error("unused"));
}
