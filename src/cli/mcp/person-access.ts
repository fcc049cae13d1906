import { TeamError } from "../../errors.ts";
import type { TeamView } from "../../team/view/team-view.ts";
import type { Command, Io } from "../command.ts";
import { oneLine } from "../render/one-line.ts";

/** What the tools of a person's client can use: the same as any command. */
export interface PersonAccess {
  /** The team as it is now: it may have been started, or replaced, since the last call. */
  view(): Promise<TeamView>;
  /** The lines that a command prints. */
  print(command: Command, given?: GivenArguments): Promise<string>;
  /** Runs `wait` unless too many calls wait already. */
  waiting<T>(wait: () => Promise<T>): Promise<T>;
  /** `text` below the warnings about the team that have come up since the last text: a client sees no others. */
  belowWarnings(text: string): string;
  readonly schedule: Io["schedule"];
}

export interface GivenArguments {
  positionals?: string[];
  values?: Readonly<Record<string, unknown>>;
}

/** The access to the team of one directory. */
export function personAccess(io: Io, teamDir: string): PersonAccess {
  const waiting = new Set<object>();
  const warnings = new Set<string>();
  const warn = (message: string) => void warnings.add(message);
  const viewTeam = () => io.viewTeam(teamDir, warn);
  return {
    view: viewTeam,
    schedule: (delayMs, run) => io.schedule(delayMs, run),
    async print(command, { positionals = [], values = {} } = {}) {
      const lines: string[] = [];
      const terminal = { ...io.terminal, isInteractive: false, hasColors: false };
      const given = { positionals, values, json: false, debug: false, teamDir };
      await command.run(given, { ...io, viewTeam, terminal, out: (line) => lines.push(line) });
      return lines.join("\n");
    },
    belowWarnings(text) {
      const told = [...warnings]
        .slice(-mostWarnings)
        .map((message) => `Warning: ${oneLine(message)}`);
      // The next look at the team warns again.
      warnings.clear();
      return [...told, text].join("\n");
    },
    async waiting(wait) {
      if (waiting.size === mostWaiting) {
        throw new TeamError("team-busy", `${mostWaiting} calls wait already`, {
          hint: "One call that waits is enough for a client: let it end first.",
        });
      }
      const call = {};
      waiting.add(call);
      try {
        return await wait();
      } finally {
        waiting.delete(call);
      }
    },
  };
}

const mostWaiting = 16;
const mostWarnings = 10;
