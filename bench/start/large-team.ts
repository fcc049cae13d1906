import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { hmacSignature, type Signature } from "../../src/keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../../src/keys/team-key.ts";
import { mapInBatches } from "../../src/lib/batches.ts";
import { VersionedRecords } from "../../src/lib/versioned-records.ts";
import { lead, newRequestId, TaskId, user } from "../../src/protocol/ids.ts";
import { TeamRequest } from "../../src/protocol/request.ts";
import { Task } from "../../src/protocol/task.ts";
import { newRequest, settleRequest } from "../../src/requests/request-rules.ts";
import { readTeamFile, rosterFile } from "../../src/roster/team-file.ts";
import { sealTask } from "../../src/tasks/stored-task-board.ts";
import { newTask } from "../../src/tasks/task-rules.ts";
import { alternate, rounds } from "../lib/alternate.ts";
import { formatCount, formatMegabytes, formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio } from "../lib/statistics.ts";
import { atMost } from "../team/at-most.ts";
import { peakBytes } from "./memory.ts";
import { ended, type Stage, type StartOptions } from "./stage.ts";
import { untilEndMs, untilRequestMs } from "./starts.ts";

interface Size {
  tasks: number;
  requests: number;
}

const sizes = {
  small: { tasks: 100, requests: 100 },
  large: { tasks: 50_000, requests: 20_000 },
} as const satisfies Record<string, Size>;

const maxMs = 3_000;
const maxBytes = 300e6;

const commands = {
  team: { what: "`troupe team`, until its end", argv: ["team"] },
  tasks: { what: "`troupe tasks`, until its end", argv: ["tasks"] },
  approvals: { what: "`troupe approvals`, until its end", argv: ["approvals"] },
  run: { what: "`troupe run`, until its first request has arrived", argv: ["run", "Say hi."] },
} as const;
type CommandName = keyof typeof commands;

interface Kind {
  size: keyof typeof sizes;
  command: CommandName;
}

const bare = "bare";
const names: CommandName[] = ["team", "tasks", "approvals", "run"];
const small = names.map((command): Kind => ({ size: "small", command }));
const large = names.map((command): Kind => ({ size: "large", command }));

/** How much longer a start takes with a large team, and how much memory it needs. */
export async function measureLargeTeam(
  stage: Stage,
  { directory, preload }: { directory: string; preload: string },
): Promise<Section> {
  const teams = {
    small: await TeamOnDisk.make(stage, join(directory, "small-team"), sizes.small),
    large: await TeamOnDisk.make(stage, join(directory, "large-team"), sizes.large),
  };
  const figures = await alternate<Kind | typeof bare, number>([bare, ...small, ...large], (kind) =>
    kind === bare ? untilEndMs(stage, ["-e", "0"]) : teams[kind.size].startMs(kind.command),
  );
  const tookMs = (kind: Kind) => median(figures(kind));
  const rows = await Promise.all(
    large.map(async (kind, index) => {
      const other = small[index] ?? kind;
      return [
        commands[kind.command].what,
        formatMs(tookMs(other)),
        formatMs(tookMs(kind)),
        formatNumber(medianRatio(figures(kind), figures(other))),
        formatNumber(medianRatio(figures(kind), figures(bare))),
      ];
    }),
  );
  const peak = await teams.large.peakBytes("run", preload);
  return {
    title: "A large team",
    about: `A team with ${describe(sizes.large)} beside one with ${describe(sizes.small)}. All are signed and ended, and have been on disk for a while. Each figure is the median of ${rounds} rounds, in which all take turns with a bare Node. The peak of the memory of \`troupe run\` in the large one is ${formatMegabytes(peak)}.`,
    table: { head: ["", "small", "large", "large / small", "large / bare Node"], rows },
    targets: [
      ...large.map((kind) => {
        const { what } = commands[kind.command];
        return atMost(`${what}, in a team with ${describe(sizes.large)}`, {
          figure: tookMs(kind),
          target: maxMs,
          format: formatMs,
        });
      }),
      atMost("`troupe run` in it: peak memory of the process", {
        figure: peak,
        target: maxBytes,
        format: formatMegabytes,
      }),
    ],
  };
}

function describe({ tasks, requests }: Size): string {
  return `${formatCount(tasks)} tasks and ${formatCount(requests)} requests`;
}

/** A team that the program has created, and that was filled afterwards. */
class TeamOnDisk {
  readonly #stage: Stage;
  readonly #directory: string;
  readonly #options: StartOptions;

  private constructor(stage: Stage, directory: string) {
    this.#stage = stage;
    this.#directory = join(directory, ".team");
    this.#options = { env: { XDG_STATE_HOME: join(directory, "state") } };
  }

  static async make(stage: Stage, directory: string, size: Size): Promise<TeamOnDisk> {
    await mkdir(directory);
    const team = new TeamOnDisk(stage, directory);
    await ended(await stage.startNode(team.#argv("run"), team.#options));
    const found = await readTeamFile(team.#directory, rosterFile);
    if (!found) throw new Error("The program has begun no team");
    const stateHome = join(directory, "state");
    const { team_id: teamId } = found.team;
    const path = teamKeyPath({ teamId, keyFile: undefined, stateHome, home: directory });
    const key = await loadTeamKey({ path });
    if (!key) throw new Error("The team has no key");
    await team.#fill(size, hmacSignature(key));
    return team;
  }

  startMs(command: CommandName): Promise<number> {
    const measure = command === "run" ? untilRequestMs : untilEndMs;
    return measure(this.#stage, this.#argv(command), this.#options);
  }

  peakBytes(command: CommandName, preload: string): Promise<number> {
    return peakBytes(this.#stage, ["--import", preload, ...this.#argv(command)], this.#options);
  }

  #argv(command: CommandName): string[] {
    return [this.#stage.program, ...commands[command].argv, "--team-dir", this.#directory];
  }

  async #fill({ tasks, requests }: Size, signature: Signature): Promise<void> {
    const board = this.#records<Task>("tasks", Task);
    await mapInBatches(numbers(tasks), (number) => board.commit(endedTask(number, signature)));
    const asked = this.#records<TeamRequest>("requests", TeamRequest);
    await mapInBatches(numbers(requests), async (number) => {
      const at = new Date(startMs + number);
      const subject = { tool: "bash", input: { command: `echo ${number}` } };
      const draft = { type: "permission", from: lead, to: user, subject } as const;
      const request = newRequest(draft, { id: newRequestId(at), at, signature });
      await asked.commit(request);
      const { hash } = request;
      const verified = { request, isAsAsked: true, problem: undefined };
      await asked.commit(
        settleRequest(verified, { state: "approved", by: user, hash }, { at, signature }),
      );
    });
  }

  #records<T extends Task | TeamRequest>(name: string, schema: RecordSchema<T>) {
    return new VersionedRecords<T>({
      directory: join(this.#directory, name),
      schema: () => schema,
      onDamage: (problem) => console.warn(problem),
      now: () => new Date(),
      isEditable: true,
    });
  }
}

type RecordSchema<T extends Task | TeamRequest> = ReturnType<
  ConstructorParameters<typeof VersionedRecords<T>>[0]["schema"]
>;

const startMs = Date.parse("2026-01-01T00:00:00Z");

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function endedTask(number: number, signature: Signature): Task {
  const draft = {
    subject: `Look into part ${number}`,
    description: "Say in a few words what you found, and what is to be done about it.",
    created_by: lead,
  };
  const at = new Date(startMs + number);
  const task = newTask(new Map(), draft, { id: TaskId.parse(String(number)), at });
  return sealTask({ ...task, status: "completed", result: "Nothing is to be done." }, signature);
}
