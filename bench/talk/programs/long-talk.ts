import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { z } from "zod";
import { openScreen } from "../../../src/cli/screen/open-screen.ts";
import { Talk } from "../../../src/cli/talk/talk.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Model, ModelPart, ModelRequest } from "../../../src/model/model.ts";
import { lead, type MemberName } from "../../../src/protocol/ids.ts";
import { Team } from "../../../src/team/team.ts";
import { defineTool, success } from "../../../src/tools/tool.ts";
import { screenIo } from "../../lib/screen-io.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { placeBelow } from "../../team/place.ts";
import { type HourFigures, HourQuestion, LongTalkOptions } from "../contract.ts";

const { directory, teammates } = childOptions(LongTalkOptions);
const names = Array.from({ length: teammates }, (_, index) => `writer-${index + 1}`);
const prompt = "Let all go on";
/** Of a teammate for one message, before it reports. */
const callsPerRun = 10;
const charactersPerToken = 4;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = z
  .custom<() => void>((value) => typeof value === "function")
  .parse(runInNewContext("gc"));

let replies = 0;
let compactions = 0;
let writtenBytes = 0;

const lookTool = defineTool({
  name: "look",
  description: "Shows a page.",
  input: z.object({ page: z.int() }),
  action: () => ({ type: "coordinate" }),
  run: async ({ page }) => success(`Page ${page}. ${"What it says, line by line.\n".repeat(40)}`),
});

/** Talks as a model does: in pieces, with a call in each reply of a run but its last. */
class BusyModel implements Model {
  readonly id = "busy";
  readonly #isLead: boolean;
  #calls = 0;

  constructor(member: MemberName) {
    this.#isLead = member === lead;
  }

  async *stream({ conversation }: ModelRequest): AsyncGenerator<ModelPart> {
    replies++;
    for (let piece = 0; piece < 20; piece++)
      yield { type: "text-delta", text: "a few more words " };
    yield { type: "text-delta", text: "\n" };
    const text = `${"a few more words ".repeat(20)}\n`;
    const calls = this.#nextCalls(conversation.at(-1)).map((call) => ({
      type: "tool-call" as const,
      call_id: crypto.randomUUID(),
      ...call,
    }));
    yield {
      type: "finish",
      blocks: [{ type: "text", text }, ...calls],
      stop: calls.length > 0 ? "tool-calls" : "end",
      usage: {
        input_tokens: Math.ceil(JSON.stringify(conversation).length / charactersPerToken),
        output_tokens: 100,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
      },
    };
  }

  #nextCalls(last: ModelRequest["conversation"][number] | undefined) {
    if (last?.type === "input" && last.texts.some((text) => text.includes("Summarize"))) return [];
    if (this.#isLead) return isFromPerson(last) ? names.map(message) : [];
    this.#calls = (this.#calls + 1) % (callsPerRun + 1);
    return this.#calls === 0 ? [] : [{ name: "look", input: { page: this.#calls } }];
  }
}

function isFromPerson(last: ModelRequest["conversation"][number] | undefined): boolean {
  return last?.type === "input" && last.texts.some((text) => text.includes(prompt));
}

function message(to: string) {
  return { name: "send_message", input: { to, content: "Read ten more pages." } };
}

class Output {
  readonly columns = 120;
  readonly rows = 40;
  readonly writableNeedDrain = false;
  write(text: string): void {
    writtenBytes += Buffer.byteLength(text);
  }
  on(): this {
    return this;
  }
  off(): this {
    return this;
  }
}

const team = await Team.open({
  place: placeBelow(directory),
  env: { PATH: process.env.PATH },
  cwd: directory,
  model: "busy",
  models: { busy: { contextWindow: 60_000, maxOutput: 8_000 } },
  openModel: (_, member) => new BusyModel(member),
  tools: [lookTool],
});
for (const name of names) await team.spawn({ name, role: "writer", prompt: "Read ten pages." });
const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
const leaving = new AbortController();
const io = screenIo({
  ...{ input, output: new Output(), signal: leaving.signal },
  viewTeam: async () => team.view(),
});
const screen = await openScreen({
  talk: new Talk({
    ...{ team, io, teamDir: join(directory, ".team"), workspace: directory },
    openedAt: systemClock.now().toISOString(),
  }),
  settings: { notify: "off", env: {}, providers: {}, models: {} },
  ...{ model: "busy", notes: [] },
  workspace: directory,
  prompt: undefined,
  historyPath: join(directory, "history.jsonl"),
  onWarning: console.error,
  monotonicMs: () => systemClock.monotonicMs(),
});
void screen.show(leaving.signal).catch(console.error);
void countCompactions().catch(console.error);

async function countCompactions(): Promise<void> {
  for await (const { type } of team.events()) if (type === "compaction-end") compactions++;
}

serve(HourQuestion, async ({ prompts }): Promise<HourFigures> => {
  for (let count = 0; count < prompts; count++) {
    const before = replies;
    input.write(`${prompt} with part ${count}.\r`);
    while (replies === before) await setImmediate();
    await team.quiet();
  }
  for (let round = 0; round < 3; round++) {
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { replies, compactions, writtenBytes, heapBytes: heapUsed, residentBytes: rss };
});
