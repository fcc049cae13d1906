import { TeamError } from "../errors.ts";
import { parseLine } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { type Answered, answeredIn, RecordedCall } from "./recorded-call.ts";

/** Plays back a `Recording`: to each member its own calls, in their order. */
export class Replay {
  readonly #path: string;
  readonly #calls: ReadonlyMap<MemberName, readonly RecordedCall[]>;
  readonly #played = new Map<MemberName, number>();

  private constructor(path: string, calls: ReadonlyMap<MemberName, readonly RecordedCall[]>) {
    this.#path = path;
    this.#calls = calls;
  }

  static async open(path: string): Promise<Replay> {
    await using reader = await LineReader.open(path);
    if (!reader) {
      throw new TeamError("config-invalid", `${path} does not exist`, {
        hint: "Make a recording with --record <file>, and replay it with --model replay:<file>.",
      });
    }
    const calls = new Map<MemberName, RecordedCall[]>();
    for await (const line of reader.forwards()) {
      const call = parseLine(line, RecordedCall, ({ reason }) => {
        throw new TeamError("record-corrupt", reason, { hint: "Make the recording again." });
      });
      if (!call) continue;
      const ofMember = calls.get(call.member);
      if (ofMember) ofMember.push(call);
      else calls.set(call.member, [call]);
    }
    return new Replay(path, calls);
  }

  /** The model of `member`. It answers as the one that was recorded did. */
  modelFor(member: MemberName): Model {
    return {
      id: `replay:${this.#path}`,
      stream: (request) => this.#stream(member, request),
    };
  }

  /** The calls that have not been made yet. */
  unplayed(): RecordedCall[] {
    return [...this.#calls].flatMap(([member, calls]) =>
      calls.slice(this.#played.get(member) ?? 0),
    );
  }

  async *#stream(member: MemberName, request: ModelRequest): AsyncGenerator<ModelPart> {
    if (request.signal.aborted) {
      yield aborted;
      return;
    }
    const played = this.#played.get(member) ?? 0;
    this.#played.set(member, played + 1);
    const call = this.#calls.get(member)?.[played];
    const difference = call ? differenceOf(call, request) : "the recording has no such call";
    if (!call || difference !== undefined) {
      const message = `Call ${played + 1} of ${member} differs from ${this.#path}: ${difference}`;
      yield { type: "error", failure: { kind: "bad-request", message, hint: divergenceHint } };
      return;
    }
    for (const part of call.parts) {
      if (request.signal.aborted) {
        yield aborted;
        return;
      }
      yield part;
    }
  }
}

const divergenceHint =
  "A replay must start in the same directory, with the same prompt and settings as the recording.";

const aborted: ModelPart = {
  type: "error",
  failure: { kind: "aborted", message: "The call was aborted" },
};

function differenceOf(call: RecordedCall, request: ModelRequest): string | undefined {
  const now = describe(answeredIn(request.conversation));
  const then = describe(call.answered);
  return now === then ? undefined : `it answers ${now}, and there it answered ${then}`;
}

function describe(answered: Answered): string {
  const results = answered.map(({ name, is_error }) => `${name}${is_error ? " (failed)" : ""}`);
  return results.join(", ") || "no tool call";
}
