import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrno } from "../../src/errors.ts";
import { parseJson } from "../../src/lib/json.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { type MemberRecord, TeamRecord } from "../../src/protocol/team.ts";
import { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamOptions } from "../../src/team/team-options.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from "../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "./agent-on-wire.ts";
import { fileText } from "./file-text.ts";
import { teamPlace } from "./team.ts";

/** So that no warning says what is assumed of it. */
export const scriptedModels = {
  "anthropic/scripted": { contextWindow: 128_000, maxOutput: 8_000 },
  "anthropic/requested": { contextWindow: 128_000, maxOutput: 8_000 },
};

/** What a member's model answers: one step for each request, the last one again and again. */
export type Part = readonly Line[];
export type Line =
  | ScriptedAnswer
  | ((request: ProviderRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

/**
 * A team with real files, real tools and a strict server that speaks the wire format of a provider.
 * What each member's model says is written down by its name.
 */
export class TeamOnWire implements AsyncDisposable {
  readonly directory: TemporaryDirectory;
  readonly server: ProviderServer;
  readonly warnings: string[] = [];
  readonly #parts: Record<string, Part>;
  readonly #taken = new Map<string, number>();
  readonly #teams: Team[] = [];

  private constructor(
    directory: TemporaryDirectory,
    server: ProviderServer,
    parts: Record<string, Part>,
  ) {
    this.directory = directory;
    this.server = server;
    this.#parts = parts;
    server.replyWith((request) => this.#answer(request));
  }

  static async start(parts: Record<string, Part>): Promise<TeamOnWire> {
    const directory = await temporaryDirectory();
    return new TeamOnWire(directory, await ProviderServer.start({ strict: true }), parts);
  }

  get root(): string {
    return this.directory.path;
  }

  get teamDirectory(): string {
    return join(this.root, ".team");
  }

  get environment(): Readonly<Record<string, string | undefined>> {
    return { PATH: process.env.PATH, ...providerEnvironment(this.server) };
  }

  async open(options: Partial<TeamOptions> = {}): Promise<Team> {
    const team = await Team.open({
      place: teamPlace(this.root, { onWarning: (message) => this.warnings.push(message) }),
      env: this.environment,
      cwd: this.root,
      model: "anthropic/scripted",
      approvals: "wait",
      ...options,
      models: { ...scriptedModels, ...options.models },
    });
    this.#teams.push(team);
    return team;
  }

  /** The requests that a member has made, oldest first. */
  requestsOf(member: string): ProviderRequest[] {
    return this.server.requests.filter((request) => memberOf(request) === member);
  }

  /** Everything that a member's model has been shown by now. */
  shownTo(member: string): string {
    return shownIn(this.requestsOf(member).at(-1));
  }

  /** Resolves once a member has made so many requests. */
  async requested(member: string, count: number): Promise<ProviderRequest | undefined> {
    await this.server.until(() => this.requestsOf(member).length >= count);
    return this.requestsOf(member)[count - 1];
  }

  /** A file of the team as text; empty where there is none. */
  stored(...path: string[]): Promise<string> {
    return readIfThere(join(this.teamDirectory, ...path));
  }

  /** The text of a file in the workspace, as soon as there is one that is not empty. */
  made(name: string): Promise<string> {
    return fileText(join(this.root, name));
  }

  async transcriptOf(member: string): Promise<TranscriptEntry[]> {
    const lines = (await this.stored("transcripts", `${member}.jsonl`)).split("\n").filter(Boolean);
    return lines.map((line) => parseJson(line, TranscriptEntry, "The entry"));
  }

  /** A teammate's record as config.json has it. */
  async recordOf(member: string): Promise<MemberRecord | undefined> {
    const team = parseJson(await this.stored("config.json"), TeamRecord, "config.json");
    return team.members.find(({ name }) => name === member);
  }

  async statusOf(member: string): Promise<string | undefined> {
    return (await this.recordOf(member))?.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const team of this.#teams) await team.close();
    await this.server[Symbol.asyncDispose]();
    await this.directory[Symbol.asyncDispose]();
  }

  async #answer(request: ProviderRequest): Promise<ScriptedAnswer> {
    const member = memberOf(request);
    const part = this.#parts[member];
    if (!part) throw new Error(`Nobody wrote a part for ${member}`);
    const index = this.#taken.get(member) ?? 0;
    this.#taken.set(member, index + 1);
    const line = part[Math.min(index, part.length - 1)];
    if (!line) throw new Error(`The part of ${member} is empty`);
    return typeof line === "function" ? line(request) : line;
  }
}

/** Whose request it is, by its system prompt. */
export function memberOf({ body }: ProviderRequest): string {
  const { system = body.systemInstruction, input, messages } = body;
  const text = JSON.stringify(system ?? input?.[0] ?? messages[0]);
  return /You are '([a-z0-9_-]+)'/.exec(text)?.[1] ?? "lead";
}

/** Everything that the model was shown in a request, as one text. */
export function shownIn(request: ProviderRequest | undefined): string {
  return JSON.stringify(request?.body.input ?? request?.body.messages ?? []);
}

async function readIfThere(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (hasErrno(error, "ENOENT")) return "";
    throw error;
  });
}

/** How often `part` occurs in `text`. */
export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** The events of a team from now on, kept, so that one can be awaited whether or not it has been. */
export class Watched {
  readonly events: AgentEvent[] = [];
  readonly #looks = new Set<() => void>();

  constructor(team: Pick<Team, "events">) {
    void this.#keep(team.events()).catch(() => undefined);
  }

  /** Resolves once there have been `count` events for which `isIt` holds. */
  until(isIt: (event: AgentEvent) => boolean, count = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.events.filter(isIt).length < count) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  async #keep(events: AsyncIterable<AgentEvent>): Promise<void> {
    for await (const event of events) {
      this.events.push(event);
      for (const look of [...this.#looks]) look();
    }
  }
}
