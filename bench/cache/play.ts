import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { InputUsage, PromptCache } from "../../src/testing/prompt-cache/prompt-cache.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { TeamAnswer } from "./contract.ts";
import { fileCount, Story } from "./story.ts";
import type { Workbench } from "./workbench.ts";

export const phases = [
  "the first run, with mail",
  "7 minutes later",
  "20 minutes later",
  "after a kill",
  "a re-spawn",
  "after a summary",
] as const;
type Phase = (typeof phases)[number];

/** One request of a member, and how its input is billed. */
export interface PlayedRequest {
  readonly member: string;
  readonly body: ProviderRequest["body"];
  readonly atMs: number;
  readonly phase: Phase;
  readonly usage: InputUsage;
}

/** How long a request and what follows it take. The cache's clock is not that of the team. */
const requestMs = 2_000;
const minuteMs = 60_000;

export interface PlayOptions {
  readonly model: string;
  readonly cache: PromptCache;
}

/** Plays a whole team on a server that has the provider's cache. */
export async function playTeam(
  workbench: Workbench,
  { model, cache }: PlayOptions,
): Promise<PlayedRequest[]> {
  const directory = await workbench.directory(model.replaceAll(/\W/g, "-"));
  for (let number = 1; number <= fileCount; number++) {
    await writeFile(join(directory, `file-${number}.txt`), fileText(number));
  }
  await writeFile(join(directory, "AGENTS.md"), fileText(0).repeat(3));
  await using server = await ProviderServer.start({ strict: true });
  const stage = new Stage(cache);
  server.replyWith((request) => stage.answer(request));
  const start = () =>
    workbench.start("team", { directory, url: server.url, model, contextWindow: 48_000 });
  await using first = await start();
  await first.ask({ prompt: "Begin." }, TeamAnswer);
  stage.pass(7 * minuteMs, "7 minutes later");
  await first.ask({ prompt: "Go on." }, TeamAnswer);
  stage.pass(20 * minuteMs, "20 minutes later");
  const seen = server.requests.length;
  // Its answer never comes: the process ends in the middle of the run.
  first.ask({ prompt: "Go on." }, TeamAnswer).catch(() => undefined);
  await server.until(() => server.requests.length >= seen + 40);
  await first[Symbol.asyncDispose]();
  stage.pass(minuteMs / 2, "after a kill");
  await using second = await start();
  await second.ask({ prompt: "Where were we?" }, TeamAnswer);
  stage.pass(minuteMs, "a re-spawn");
  await second.ask({ prompt: "Replace alice." }, TeamAnswer);
  server.assertDone();
  return stage.played;
}

/** The provider: its cache, its clock, and what its model says. */
class Stage {
  readonly played: PlayedRequest[] = [];
  readonly #cache: PromptCache;
  readonly #story = new Story();
  readonly #summarized = new Set<string>();
  #nowMs = 0;
  #phase: Phase = "the first run, with mail";

  constructor(cache: PromptCache) {
    this.#cache = cache;
  }

  pass(ms: number, phase: Phase): void {
    this.#nowMs += ms;
    this.#phase = phase;
    this.#summarized.clear();
  }

  answer(request: ProviderRequest) {
    this.#nowMs += requestMs;
    const { body } = request;
    const member = memberOf(request);
    const usage = this.#cache.take(body, this.#nowMs);
    const phase = this.#summarized.has(member) ? "after a summary" : this.#phase;
    this.played.push({ member, body, atMs: this.#nowMs, phase, usage });
    if (request.text.includes("Your context is nearly full")) this.#summarized.add(member);
    const answer = this.#story.answer(member, request);
    return { ...answer, usage: { ...usage, output_tokens: 100 } };
  }
}

/** Whose request it is, by its system prompt. */
function memberOf({ text }: ProviderRequest): string {
  return /You are '([a-z]+)'/.exec(text)?.[1] ?? "lead";
}

/** About 300 tokens, different in each file. */
function fileText(number: number): string {
  const line = (index: number) => `${number}.${index}: a line of text that a member reads here.\n`;
  return Array.from({ length: 18 }, (_, index) => line(index)).join("");
}
