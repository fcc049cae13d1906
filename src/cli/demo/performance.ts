import type { AgentEvent } from "../../protocol/events.ts";
import type { Team } from "../../team/team.ts";
import type { Io } from "../command.ts";
import { oneLine } from "../render/one-line.ts";
import type { Act } from "./story.ts";
import { StoryLines, storyLine } from "./story-lines.ts";
import { Witness } from "./witness.ts";

const questionWidth = 600;

/** Plays the acts of a story with a team, and shows them. */
export class Performance {
  readonly #team: Team;
  readonly #directory: string;
  readonly #io: Io;
  readonly #lines = new StoryLines();

  constructor(team: Team, directory: string, io: Io) {
    this.#team = team;
    this.#directory = directory;
    this.#io = io;
  }

  /** The claims that do not hold; none where all went as it should. */
  async play({ title, prompt, claims }: Act, number: number): Promise<string[]> {
    const { out, signal } = this.#io;
    out("");
    out(`Act ${number}: ${title}`);
    out(`  you     > ${prompt}`);
    const witness = new Witness();
    const curtain = new AbortController();
    const watching = this.#watch(witness, curtain.signal);
    try {
      await this.#team.prompt(prompt);
      await this.#team.quiet({ signal });
    } finally {
      curtain.abort();
      await watching;
    }
    const evidence = { directory: this.#directory, team: this.#team, witness };
    const wrong: string[] = [];
    for (const { text, holds } of signal.aborted ? [] : claims) {
      const isTrue = await holds(evidence);
      out(`  ${isTrue ? "✓" : "✗ not true:"} ${text}`);
      if (!isTrue) wrong.push(text);
    }
    return wrong;
  }

  async #watch(witness: Witness, curtain: AbortSignal): Promise<void> {
    for await (const event of this.#team.events(curtain)) {
      witness.note(event);
      for (const line of this.#lines.lines(event)) this.#io.out(line);
      await this.#answer(event);
    }
  }

  /** Allows what is asked, once, as the person would, and shows what exactly that was. */
  async #answer(event: AgentEvent): Promise<void> {
    if (event.type !== "request-change" || event.state !== "pending") return;
    if (event.request_type !== "permission") return;
    const question = (await this.#team.openRequests()).find(({ id }) => id === event.id);
    if (!question) return;
    const { tool, input, reason } = question.subject;
    const { out } = this.#io;
    out(storyLine("you", `? may ${question.from} call ${tool}: ${reason}`));
    out(`             ${oneLine(JSON.stringify(input), questionWidth)}`);
    out(storyLine("you", "  you allow it, once (the demo answers for you)"));
    await this.#team.answer(question.id, { decision: "allow-once" });
  }
}
