import { TeamError } from "../../errors.ts";
import { lead, type MessageId, type RequestId, user } from "../../protocol/ids.ts";
import { type ImageReference, isContentSize } from "../../protocol/message.ts";
import type { ResultRequest, TeamRequest } from "../../protocol/request.ts";
import { findRequest, type Requests, unlessDecided } from "../../requests/requests.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";
import type { ResultCheck } from "./result-schema.ts";

/** So often the lead may hand in a result that does not match its schema. */
const maxWrongResults = 5;

export interface ResultQuestion {
  prompt: string;
  images?: readonly ImageReference[] | undefined;
  /** As JSON Schema. */
  schema: Record<string, unknown>;
  /** The program's own name for the question. */
  key: string | undefined;
  check: ResultCheck;
}

interface ResultQuestionsOptions {
  requests: Requests;
  post: { send(...given: Parameters<Post["send"]>): Promise<unknown> };
}

/**
 * The results that a program asks the lead for: each a request on disk, from the question to the value
 * that the lead hands in by its tool, so that both survive a restart.
 */
export class ResultQuestions {
  readonly #options: ResultQuestionsOptions;
  /** The program's own checks, which may be stricter than a JSON Schema can be. */
  readonly #checks = new Map<RequestId, ResultCheck>();
  readonly #wrong = new Map<RequestId, number>();

  constructor(options: ResultQuestionsOptions) {
    this.#options = options;
  }

  /** Asks the lead, or asks again where an earlier process asked under the same key. */
  async ask(question: ResultQuestion): Promise<TeamRequest> {
    const { requests } = this.#options;
    const { prompt, images, schema, key, check } = question;
    if (!isContentSize(contentOf({ id: "", prompt, schema }))) throw tooLong();
    const known = key === undefined ? undefined : await this.#find(key, check);
    if (known && known.subject.prompt !== prompt) throw otherQuestion();
    if (known && known.state !== "pending") return known;
    const named = key !== undefined && { key };
    const subject = { prompt, ...(images && { images: [...images] }), schema, ...named };
    const request =
      known ?? (await requests.open({ type: "result", from: user, to: lead, subject }));
    this.#checks.set(request.id, check);
    await this.#send(request);
    if (known) await this.#remind(request);
    return request;
  }

  /** Takes in a value from the lead. Throws where it is wrong, with what is right. */
  async submit(text: string | undefined, value: unknown): Promise<void> {
    const { requests } = this.#options;
    const request = text === undefined ? await this.#onlyOne() : await findRequest(requests, text);
    if (request?.type !== "result" || request.state !== "pending") throw await this.#unknown(text);
    const { id, hash } = request;
    const checked = await this.#check(request, value);
    if (checked.type === "right") {
      await requests.decide(id, { by: lead, state: "approved", hash, value: checked.submitted });
      return;
    }
    const wrong = (this.#wrong.get(id) ?? 0) + 1;
    this.#wrong.set(id, wrong);
    if (wrong < maxWrongResults) {
      throw wrongResult(checked.problem, "Call submit_result again with a corrected result.");
    }
    await unlessDecided(requests.expire(id, `it was wrong ${wrong} times: ${checked.problem}`));
    throw wrongResult(checked.problem, "That was the last attempt: say why you cannot give it.");
  }

  /** Cancels what an ended process has asked without a key: nobody can wait for the result now. */
  async restore(): Promise<void> {
    for (const { id, type, subject } of await this.#open()) {
      const isWithoutKey = type === "result" && subject.key === undefined;
      if (isWithoutKey) await this.cancel(id, "the program that asked has ended");
    }
  }

  /** The program no longer waits for a result. */
  async cancel(id: RequestId, reason: string): Promise<void> {
    await unlessDecided(this.#options.requests.cancel(id, user, reason));
  }

  /** The newest question of this key that is open, or whose answer is still right. */
  async #find(key: string, check: ResultCheck): Promise<ResultRequest | undefined> {
    const asked = await this.#options.requests.list({ type: "result", from: user });
    for (const request of asked.reverse()) {
      if (request.type !== "result" || request.subject.key !== key) continue;
      if (request.state === "pending") return request;
      if (request.state !== "approved") continue;
      if ((await check(request.decision?.value)).type === "right") return request;
    }
    return undefined;
  }

  async #check(request: ResultRequest, value: unknown): ReturnType<ResultCheck> {
    const { jsonSchemaCheck, orFromText } = await import("./result-schema.ts");
    const check = this.#checks.get(request.id) ?? jsonSchemaCheck(request.subject.schema);
    return orFromText(check, value);
  }

  async #send({ id, type, subject, created_at }: TeamRequest): Promise<void> {
    if (type !== "result") return;
    const { images } = subject;
    await this.#options.post.send(lead, {
      id: messageIdFor(`result ${id}`, new Date(created_at)),
      type: "message",
      from: user,
      content: contentOf({ id, ...subject }),
      ...(images && { images }),
    });
  }

  /** The lead may have been shown the question, and does not continue by itself after a restart. */
  async #remind({ id }: TeamRequest): Promise<void> {
    const content = `Continue: the result is still wanted (submit_result, request_id=${id}).`;
    await this.#options.post.send(lead, { type: "message", from: user, content });
  }

  /** Models forget ids. Where one result is wanted, it is clear which one is meant. */
  async #onlyOne(): Promise<TeamRequest | undefined> {
    const [only, ...others] = await this.#open();
    return others.length > 0 ? undefined : only;
  }

  #open(): Promise<TeamRequest[]> {
    return this.#options.requests.list({ type: "result", state: "pending" });
  }

  async #unknown(text: string | undefined): Promise<TeamError> {
    const ids = (await this.#open()).map(({ id }) => id).join(", ");
    const hint = ids ? `Asked for: ${ids}.` : "No result is asked for.";
    const problem =
      text === undefined
        ? `A result without a request_id is for the only question, and there ${ids ? "are several" : "is none"}`
        : `No result is asked for as request_id '${text}'`;
    return new TeamError("request-unknown", problem, { hint });
  }
}

/** The id of the message by which the lead is asked. */
export function promptIdOf({ id, created_at }: TeamRequest): MessageId {
  return messageIdFor(`result ${id}`, new Date(created_at));
}

function contentOf(question: { id: string; prompt: string; schema: unknown }): string {
  const { id, prompt, schema } = question;
  return `${prompt}\n\n(Hand in the result with submit_result, request_id=${id}, before you end. It must match this JSON Schema: ${JSON.stringify(schema)})`;
}

/** Its answer would be returned for a question that nobody has asked. */
function otherQuestion(): TeamError {
  return new TeamError("config-invalid", "Another question was asked under this id", {
    hint: "Give each question an id of its own, or ask with the same text again.",
  });
}

function tooLong(): TeamError {
  return new TeamError("content-too-large", "The prompt and its schema are too long", {
    hint: "Write the details to a file and name it in the prompt.",
  });
}

function wrongResult(problem: string, hint: string): TeamError {
  return new TeamError("request-refused", `The result is wrong: ${problem}`, { hint });
}
