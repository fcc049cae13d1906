import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { Model, ModelRequest, Utterance } from "../../src/model/model.ts";
import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import { Team } from "../../src/team/team.ts";
import { calls, reply, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { successorProcess } from "./stored-team.ts";
import { teamPlace } from "./team.ts";

/** What a member does when it reads this order: writes files, and spawns teammates with their own. */
export interface ObedientOrder {
  /** Occurs in no other order. */
  mark: string;
  writes: { path: string; content: string }[];
  spawns: (ObedientOrder & { name: string })[];
}

/** A team whose members do what the last text says that they were given, and nothing else. */
export class ObedientTeam {
  readonly directory: string;
  readonly root: string;
  readonly warnings: string[] = [];
  readonly #clock = risingClock();
  /** The marks of the orders that each member was shown in its last request, in their order. */
  readonly #shown = new Map<string, string[]>();

  constructor(directory: string) {
    this.directory = directory;
    this.root = join(directory, "work");
  }

  async open(): Promise<Team> {
    await mkdir(this.root, { recursive: true });
    const onWarning = (message: string) => void this.warnings.push(message);
    const place = teamPlace(this.directory, { clock: this.#clock, onWarning });
    return Team.open({
      place: { ...place, processes: successorProcess },
      cwd: this.root,
      model: "scripted",
      openModel: (_, member) => this.#modelOf(member),
      mode: "acceptEdits",
      env: {},
    });
  }

  shownTo(member: string): string[] {
    return this.#shown.get(member) ?? [];
  }

  async read(name: string): Promise<string | undefined> {
    const path = join(this.root, name);
    return existsSync(path) ? readFile(path, "utf8") : undefined;
  }

  #modelOf(member: string): Model {
    return {
      id: "scripted",
      stream: (request) => new ScriptedModel([(it) => this.#answer(member, it)]).stream(request),
    };
  }

  #answer(member: string, { conversation }: ModelRequest): ReplyBlock | ReturnType<typeof reply> {
    const orders = conversation
      .flatMap((utterance) => (utterance.type === "input" ? utterance.texts : []))
      .flatMap(ordersIn);
    this.#shown.set(
      member,
      orders.map(({ mark }) => mark),
    );
    const last = conversation.at(-1);
    const order = orders.at(-1);
    const made = last?.type === "reply" ? [] : callsAfter(last, order);
    return made.length > 0 ? reply(made) : says("Done.");
  }
}

type Asked = Exclude<Utterance, { type: "reply" }>;

export function orderText(order: ObedientOrder): string {
  return `ORDER${Buffer.from(JSON.stringify(order)).toString("base64")}.`;
}

function ordersIn(text: string): ObedientOrder[] {
  return [...text.matchAll(/ORDER([A-Za-z0-9+/=]+)\./g)].map(([, encoded = ""]) =>
    JSON.parse(Buffer.from(encoded, "base64").toString()),
  );
}

function callsAfter(last: Asked | undefined, order: ObedientOrder | undefined): ReplyBlock[] {
  if (!last || !order) return [];
  if (last.type === "input")
    return last.texts.some((text) => ordersIn(text).length > 0) ? callsFor(order) : [];
  const isGone = last.results.some(({ output }) =>
    output.includes("was deleted since you read it"),
  );
  return isGone ? order.writes.map((write) => calls("write_file", write)) : [];
}

function callsFor({ writes, spawns }: ObedientOrder): ReplyBlock[] {
  return [
    // Nobody writes a file that it does not know.
    ...writes.flatMap(({ path, content }) => [
      calls("read_file", { path }),
      calls("write_file", { path, content }),
    ]),
    ...spawns.map(({ name, ...order }) =>
      calls("spawn_teammate", { name, role: "coder", prompt: orderText(order) }),
    ),
  ];
}

/** The machine's clock, whose times are all different. */
function risingClock(): Clock {
  let lastMs = 0;
  return {
    ...systemClock,
    now() {
      lastMs = Math.max(Date.now(), lastMs + 1);
      return new Date(lastMs);
    },
  };
}
