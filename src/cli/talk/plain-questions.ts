import { TeamError } from "../../errors.ts";
import { ruleOf } from "../../permissions/persons-question.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import { columns } from "../render/columns.ts";
import { oneLine } from "../render/one-line.ts";
import { renderQuestion } from "../screen/question-panel.ts";
import { plainFormat } from "./plain-items.ts";

/** A line such as `/b2 too large`, which answers a question. */
interface AnswerLine {
  letters: string;
  number: string;
  rest: string;
}

/** What a line that answers a question leads to. */
export type PlainAnswer =
  | { type: "answer"; request: TeamRequest; answer: PersonsAnswer }
  /** Nothing is decided yet. */
  | { type: "ask"; lines: readonly string[] };

/**
 * The questions of a talk without a screen. Each has letters of its own, which no other question of the
 * talk gets, so that a line that was meant for one never answers another.
 */
export class PlainQuestions {
  readonly #byLetters = new Map<string, TeamRequest>();
  /** The question whose rule the person has been asked to confirm. */
  #confirming: string | undefined;

  /** A new question, with the lines that answer it. */
  add(request: TeamRequest): string[] {
    const letters = lettersOf(this.#byLetters.size);
    this.#byLetters.set(letters, request);
    const answers = answersTo(request, letters);
    const width = Math.max(...answers.map(([line]) => line.length));
    return [
      ...renderQuestion(request, plainFormat),
      `Answer question ${letters}, of ${request.from}, by one of these lines. Nothing else that you type answers it.`,
      ...answers.flatMap(([line, does]) => columns(line, does, width)),
    ];
  }

  /** What a typed line means as an answer; undefined if it is none. */
  read(line: string, isOpen: (id: string) => boolean): PlainAnswer | undefined {
    const parsed = parseAnswer(line);
    const request = parsed && this.#byLetters.get(parsed.letters);
    if (!parsed || !request) return undefined;
    if (!isOpen(request.id)) {
      throw new TeamError("request-refused", `Question ${parsed.letters} is no longer open`, {
        hint: "/approvals lists what waits for your answer.",
      });
    }
    const isConfirming = this.#confirming === request.id;
    this.#confirming = undefined;
    return this.#meaning(request, parsed, isConfirming);
  }

  #meaning(request: TeamRequest, line: AnswerLine, isConfirming: boolean): PlainAnswer {
    const { letters, number, rest } = line;
    const rule = ruleOf(request);
    if (number === "2") {
      const reason = rest === "" ? undefined : rest;
      return { type: "answer", request, answer: { decision: "deny", reason } };
    }
    if (number === "1" && rest === "") {
      return { type: "answer", request, answer: { decision: "allow-once" } };
    }
    if (number === "1") throw notAnAnswer(line, "Write it to the member, and the answer alone.");
    if (number !== "3" || rule === undefined) throw notAnAnswer(line, "See the question above.");
    if (rest === "yes" && isConfirming) {
      return { type: "answer", request, answer: { decision: "allow-always" } };
    }
    if (rest !== "" && rest !== "yes") throw notAnAnswer(line, `/${letters}3 shows the rule.`);
    this.#confirming = request.id;
    return {
      type: "ask",
      lines: [
        `Always allow ${whole(rule)} for the whole team, also after a restart?`,
        `/${letters}3 yes adds this rule. Nothing has been answered yet.`,
      ],
    };
  }
}

/** The lines that answer a question, each with its effect. */
function answersTo(request: TeamRequest, letters: string): (readonly [string, string])[] {
  const rule = ruleOf(request);
  const [yes, no] = request.type === "plan" ? ["approve", "reject"] : ["yes, once", "no"];
  const always = `always ${whole(rule ?? "")}; you are asked to confirm it`;
  return [
    [`/${letters}1`, yes],
    [`/${letters}2 [<reason>]`, no],
    ...(rule === undefined ? [] : [[`/${letters}3`, always] as const]),
  ];
}

/** Never cut: the person must see all of the rule. */
function whole(rule: string): string {
  return oneLine(rule, Number.POSITIVE_INFINITY);
}

function parseAnswer(line: string): AnswerLine | undefined {
  const [, letters, number, rest = ""] = /^\/([a-z]+)(\d)(?:\s+(.*))?$/s.exec(line.trimEnd()) ?? [];
  return letters && number ? { letters, number, rest } : undefined;
}

function notAnAnswer({ letters, number, rest }: AnswerLine, hint: string): TeamError {
  const line = oneLine(`/${letters}${number} ${rest}`, 60).trim();
  return new TeamError("usage-wrong", `${line} is not an answer`, { hint });
}

/** a, b, … z, aa, ab, … */
function lettersOf(index: number): string {
  const last = String.fromCharCode("a".charCodeAt(0) + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}
