import { join } from "node:path";
import {
  type ChatCompletionRequest,
  type Fixture,
  type JournalEntry,
  LLMock,
} from "@copilotkit/aimock";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamOptions } from "../../src/team/team-options.ts";
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from "../../src/testing/temporary-directory.ts";
import { teamPlace } from "./team.ts";

/** A wire format of a provider, and a model that is reached by it. */
export interface Wire {
  name: string;
  model: string;
  /** Where its requests arrive. */
  path: string;
  needsKey: boolean;
}

const key = "key-of-aimock-0123456789";

export const wires: readonly Wire[] = [
  {
    name: "Anthropic Messages",
    model: "anthropic/claude-sonnet-5",
    path: "/v1/messages",
    needsKey: true,
  },
  { name: "OpenAI Responses", model: "openai/gpt-6-sol", path: "/v1/responses", needsKey: true },
  {
    name: "OpenAI chat completions",
    model: "openai-compatible/llama-4",
    path: "/v1/chat/completions",
    needsKey: true,
  },
  {
    name: "Google Gemini",
    model: "google/gemini-3-pro",
    path: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
    needsKey: true,
  },
  {
    name: "OpenRouter",
    model: "openrouter/openai/gpt-6-sol",
    path: "/api/v1/chat/completions",
    needsKey: true,
  },
  {
    name: "Ollama, without a key",
    model: "ollama/qwen3:8b",
    path: "/v1/chat/completions",
    needsKey: false,
  },
];

/** What a member's model says; the tokens are added. */
export interface Answer {
  content?: string;
  toolCalls?: { name: string; arguments: string }[];
}

/** How a request is disturbed, in the words of aimock's fixtures. */
export type Disturbance = Pick<Fixture, "chaos" | "truncateAfterChunks" | "chunkSize" | "latency">;

export interface Story {
  answer(request: ChatCompletionRequest): Answer;
  disturbances?: Readonly<Record<string, Disturbance>>;
  /** The disturbance of this request, which is attempt number `attempt` of its turn, from 0 on. */
  faultOf?(request: ChatCompletionRequest, attempt: number): string | undefined;
}

interface Tokens {
  input_tokens: number;
  output_tokens: number;
}

interface OpenOptions extends Partial<TeamOptions> {
  clock?: Clock;
}

/**
 * A team with real files and tools, whose models are played by aimock: a provider's server that was
 * written elsewhere, against the real APIs.
 */
export class TeamOnAimock implements AsyncDisposable {
  readonly server: LLMock;
  readonly directory: TemporaryDirectory;
  /** The tokens of each reply that was begun, and whether it was to be sent whole. */
  readonly #served: (Tokens & { isWhole: boolean })[] = [];
  readonly events: AgentEvent[] = [];
  /** Such as what is assumed of a model that nobody knows. */
  readonly warnings: string[] = [];
  readonly #wire: Wire;
  readonly #teams: Team[] = [];
  readonly #attempts = new Map<string, number>();
  /** A fixture's predicate may be asked about one request several times. */
  readonly #faults = new WeakMap<ChatCompletionRequest, { name: string | undefined }>();

  private constructor(wire: Wire, directory: TemporaryDirectory) {
    this.#wire = wire;
    this.server = new LLMock({ strict: true, ...(wire.needsKey && { auth: { apiKeys: [key] } }) });
    this.directory = directory;
  }

  static async start(wire: Wire, story: Story): Promise<TeamOnAimock> {
    const it = new TeamOnAimock(wire, await temporaryDirectory());
    const response = (request: ChatCompletionRequest) => it.#answer(story, request);
    for (const [name, disturbance] of Object.entries(story.disturbances ?? {})) {
      const predicate = (request: ChatCompletionRequest) => it.#faultOf(story, request) === name;
      it.server.addFixture({ match: { predicate }, response, ...disturbance });
    }
    it.server.addFixture({
      match: { predicate: (request) => it.#faultOf(story, request) === undefined },
      response,
    });
    await it.server.start();
    return it;
  }

  async open({ clock = systemClock, ...options }: OpenOptions = {}): Promise<Team> {
    const team = await Team.open({
      place: teamPlace(this.directory.path, { clock, onWarning: (it) => this.warnings.push(it) }),
      env: this.environment,
      cwd: this.directory.path,
      model: this.#wire.model,
      mode: "acceptEdits",
      autoclaim: false,
      ...options,
    });
    this.#teams.push(team);
    void this.#watch(team.events()).catch(() => undefined);
    return team;
  }

  /** Where aimock is, for a model of each wire. */
  get environment(): NodeJS.ProcessEnv {
    const { url } = this.server;
    return {
      PATH: process.env.PATH,
      HOME: this.directory.path,
      XDG_STATE_HOME: join(this.directory.path, "state"),
      ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url },
      ...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` },
      ...{ OPENAI_COMPATIBLE_API_KEY: key, OPENAI_COMPATIBLE_BASE_URL: `${url}/v1` },
      ...{ OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: `${url}/api/v1` },
      OLLAMA_HOST: url,
      ...{ GOOGLE_API_KEY: key, GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta` },
    };
  }

  /** How many requests have come, whether or not they were answered. */
  get requests(): number {
    return [...this.#attempts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The requests that aimock has answered, and what it did to them. */
  get journal(): JournalEntry[] {
    return this.server.getRequests();
  }

  /** The tokens of all replies that were sent whole, or of all that were begun. */
  tokens(which: "whole" | "begun"): Tokens {
    const counted = this.#served.filter(({ isWhole }) => isWhole || which === "begun");
    const sum = (key: keyof Tokens) => counted.reduce((total, it) => total + it[key], 0);
    return { input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const team of this.#teams) await team.close();
    await this.server.stop();
    await this.directory[Symbol.asyncDispose]();
  }

  #answer(story: Story, request: ChatCompletionRequest) {
    const usage = { input_tokens: 100 + this.#served.length, output_tokens: 10 };
    this.#served.push({ ...usage, isWhole: this.#faultOf(story, request) === undefined });
    return { ...story.answer(request), usage };
  }

  #faultOf({ faultOf }: Story, request: ChatCompletionRequest): string | undefined {
    const known = this.#faults.get(request);
    if (known) return known.name;
    const turn = `${memberOf(request)} ${request.messages.length}`;
    const attempt = this.#attempts.get(turn) ?? 0;
    this.#attempts.set(turn, attempt + 1);
    const name = faultOf?.(request, attempt);
    this.#faults.set(request, { name });
    return name;
  }

  async #watch(events: AsyncIterable<AgentEvent>): Promise<void> {
    for await (const event of events) this.events.push(event);
  }
}

/** Whose request it is, by its system prompt. */
export function memberOf({ messages }: ChatCompletionRequest): string {
  const system = JSON.stringify(messages.filter(({ role }) => role === "system"));
  return /You are '([a-z0-9_-]+)'/.exec(system)?.[1] ?? "lead";
}

/** The names of the tools that the model has called in this conversation. */
export function callsIn({ messages }: ChatCompletionRequest): string[] {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  return calls.map((call) => call.function.name);
}

/** Everything but the system prompt, as one text. */
export function shownIn({ messages }: ChatCompletionRequest): string {
  return JSON.stringify(messages.filter(({ role }) => role !== "system"));
}
