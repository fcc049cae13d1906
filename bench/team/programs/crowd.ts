import { monitorEventLoopDelay } from "node:perf_hooks";
import { z } from "zod";
import type { Model, ModelPart, ModelRequest } from "../../../src/model/model.ts";
import { lead, type MemberName } from "../../../src/protocol/ids.ts";
import { Team } from "../../../src/team/team.ts";
import { defineTool, success } from "../../../src/tools/tool.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { type CrowdFigures, CrowdOptions } from "../contract.ts";
import { peakMemoryBytes } from "../peak-memory.ts";
import { placeBelow } from "../place.ts";

const { directory, members, turns } = childOptions(CrowdOptions);
const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 };
let finished = 0;

const countTool = defineTool({
  name: "count",
  description: "Counts.",
  input: z.object({ turn: z.int() }),
  action: () => ({ type: "coordinate" }),
  run: async ({ turn }) => success(`Turn ${turn}.`),
});

/** Calls a tool in every turn but the last one of a run. */
class InstantModel implements Model {
  readonly id = "instant";
  readonly #turns: number;
  #turn = 0;

  constructor(turns: number) {
    this.#turns = turns;
  }

  async *stream(_: ModelRequest): AsyncGenerator<ModelPart> {
    this.#turn++;
    if (this.#turn >= this.#turns) {
      if (this.#turn === this.#turns && this.#turns > 1) finished++;
      yield { type: "finish", blocks: [{ type: "text", text: "Done." }], stop: "end", usage };
      return;
    }
    const input = { turn: this.#turn };
    const call = { type: "tool-call" as const, call_id: crypto.randomUUID(), name: "count", input };
    yield { type: "finish", blocks: [call], stop: "tool-calls", usage };
  }
}

serve(z.object({}), async (): Promise<CrowdFigures> => {
  await using team = await Team.open({
    place: placeBelow(directory),
    env: { PATH: process.env.PATH },
    cwd: directory,
    model: "instant",
    openModel: (_, member: MemberName) => new InstantModel(member === lead ? 1 : turns),
    tools: [countTool],
    maxTeammates: members,
  });
  const lag = monitorEventLoopDelay();
  const startMs = performance.now();
  lag.enable();
  for (let index = 0; index < members; index++) {
    await team.spawn({ name: `member-${index}`, role: "counter", prompt: "Count." });
  }
  await team.quiet();
  lag.disable();
  return {
    finished,
    tookMs: performance.now() - startMs,
    lagMs: {
      p50: lag.percentile(50) / 1e6,
      p99: lag.percentile(99) / 1e6,
      max: lag.max / 1e6,
    },
    peakBytes: await peakMemoryBytes(),
  };
});
