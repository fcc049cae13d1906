import { writeFile } from "node:fs/promises";
import { hasErrno, reasonOf, TeamError } from "../errors.ts";
import { appendLines, toLines } from "../lib/json-lines.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { answeredIn, type RecordedCall, type RecordedPart } from "./recorded-call.ts";

/**
 * Records the replies of a team's models in a file, one line per call, so that `Replay` can play it
 * back. Aborted calls are left out: in a replay nobody aborts them.
 */
export class Recording {
  readonly #path: string;
  readonly #secrets: Secrets;
  readonly #calls = new Map<MemberName, number>();

  private constructor(path: string, secrets: Secrets) {
    this.#path = path;
    this.#secrets = secrets;
  }

  /** Creates a new file: two runs in one file could not be distinguished. Secrets are masked. */
  static async create(path: string, secrets: Secrets): Promise<Recording> {
    try {
      await writeFile(path, "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      throw notCreated(path, error);
    }
    return new Recording(path, secrets);
  }

  /** The same model, used by `member`; its replies are recorded. */
  record(model: Model, member: MemberName): Model {
    return { id: model.id, stream: (request) => this.#stream(model, member, request) };
  }

  async *#stream(
    model: Model,
    member: MemberName,
    request: ModelRequest,
  ): AsyncGenerator<ModelPart> {
    const parts: RecordedPart[] = [];
    for await (const part of model.stream(request)) {
      keep(parts, part);
      if (isEnd(part)) this.#write(model.id, member, request, parts);
      yield part;
    }
  }

  #write(model: string, member: MemberName, request: ModelRequest, parts: RecordedPart[]): void {
    const call = (this.#calls.get(member) ?? 0) + 1;
    this.#calls.set(member, call);
    const answered = answeredIn(request.conversation);
    const line: RecordedCall = { type: "call", member, call, model, answered, parts };
    appendLines(this.#path, toLines([this.#secrets.maskJson(line)]));
  }
}

function isEnd(part: ModelPart): boolean {
  return part.type === "finish" || (part.type === "error" && part.failure.kind !== "aborted");
}

/** Joins deltas, and forgets those that a new attempt has made void. */
function keep(parts: RecordedPart[], part: ModelPart): void {
  if (part.type === "waiting") return;
  if (part.type === "restart") {
    const kept = parts.filter(({ type }) => type === "restart" || type === "model-change");
    parts.splice(0, parts.length, ...kept, part);
    return;
  }
  const last = parts.at(-1);
  if (part.type === "text-delta" && last?.type === "text-delta") {
    last.text += part.text;
  } else if (part.type === "thinking-delta" && last?.type === "thinking-delta") {
    last.text += part.text;
  } else {
    parts.push({ ...part });
  }
}

function notCreated(path: string, cause: unknown): unknown {
  if (hasErrno(cause, "EEXIST")) {
    const hint = "Choose a new file for the recording, or delete this one.";
    return new TeamError("config-invalid", `${path} already exists`, { cause, hint });
  }
  if (!hasErrno(cause, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "EROFS", "EISDIR")) return cause;
  const message = `The recording ${path} cannot be created: ${reasonOf(cause)}`;
  const hint = "Choose a file in a directory that exists and can be written to.";
  return new TeamError("config-invalid", message, { cause, hint });
}
