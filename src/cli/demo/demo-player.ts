import type { AgentEvent } from "../../protocol/events.ts";
import type { Team } from "../../team/team.ts";
import type { Io } from "../command.ts";
import { oneLine } from "../render/one-line.ts";
import { Progress } from "../render/progress.ts";
import { SeenEvents } from "./seen-events.ts";
import type { DemoAct } from "./story.ts";

const questionWidth = 600;
const nameWidth = 8;
const lineWidth = 150;

/** Plays the acts of a story with a team, and shows them. */
export class DemoPlayer {
  readonly #team: Team;
  readonly #directory: string;
  readonly #io: Io;
  readonly #progress = new Progress({ isDemo: true });

  constructor(team: Team, directory: string, io: Io) {
    this.#team = team;
    this.#directory = directory;
    this.#io = io;
  }

  /** Returns the claims that failed. */
  async play({ title, prompt, claims }: DemoAct, number: number): Promise<string[]> {
    const { out, signal } = this.#io;
    out("");
    out(`Act ${number}: ${title}`);
    out(`  you     > ${prompt}`);
    const seen = new SeenEvents();
    const over = new AbortController();
    const watching = this.#watch(seen, over.signal);
    try {
      await this.#team.prompt(prompt);
      await this.#team.quiet({ signal });
    } finally {
      over.abort();
      await watching;
    }
    const evidence = { directory: this.#directory, team: this.#team, seen };
    const wrong: string[] = [];
    for (const { text, holds } of signal.aborted ? [] : claims) {
      const isTrue = await holds(evidence);
      out(`  ${isTrue ? "✓" : "✗ not true:"} ${text}`);
      if (!isTrue) wrong.push(text);
    }
    return wrong;
  }

  async #watch(seen: SeenEvents, over: AbortSignal): Promise<void> {
    for await (const event of this.#team.events(over)) {
      seen.note(event);
      for (const text of this.#progress.texts(event)) this.#io.out(storyLine(event.member, text));
      await this.#answer(event);
    }
  }

  /** Allows a request once, as the person would, and shows what exactly was asked. */
  async #answer(event: AgentEvent): Promise<void> {
    if (event.type !== "request-change" || event.state !== "pending") return;
    if (event.request_type !== "permission") return;
    const question = (await this.#team.openRequests()).find(({ id }) => id === event.id);
    if (question?.type !== "permission") return;
    const { tool, input, reason } = question.subject;
    const { out } = this.#io;
    out(storyLine("you", `? may ${question.from} call ${tool}: ${reason}`));
    out(`             ${oneLine(JSON.stringify(input), questionWidth)}`);
    out(storyLine("you", "  you allow it, once (the demo answers for you)"));
    await this.#team.answer(question.id, { decision: "allow-once" });
  }
}

/** What a member does, after its name. */
function storyLine(who: string | undefined, text: string): string {
  // The indentation tells what belongs to what, and `oneLine` would remove it.
  const indentation = /^ */.exec(text)?.[0] ?? "";
  return `  ${(who ?? "").padEnd(nameWidth)}${indentation}${oneLine(text, lineWidth)}`;
}
