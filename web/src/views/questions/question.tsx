import { useRef, useState } from "preact/hooks";
import type { RequestView } from "../../../../src/protocol/dashboard.ts";
import { useFocusPassedOn } from "../../hooks/use-focus-passed-on.ts";
import { Diff } from "../../parts/diff.tsx";
import { waitingHead } from "../../parts/drawer.ts";
import { Ago, MemberName } from "../../parts/member.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Refusal } from "../../parts/refusal.tsx";
import { ScrollBox } from "../../parts/scroll-box.tsx";
import { SourceError } from "../../source/source.ts";
import type { AnswerKey } from "../../state/keys.ts";
import { useHindrance, usePageContext, useRoom } from "../../state/page-context.ts";
import { answerBody, askingText } from "../../state/questions.ts";
import { useArmed } from "./use-armed.ts";

/** A question to the person: its exact content and the possible answers. */
export function Question({ request, isVisible }: { request: RequestView; isVisible: boolean }) {
  const { canAct } = usePageContext().page.source;
  const element = useRef<HTMLElement>(null);
  const isArmed = useArmed(element, isVisible);
  // The focus does not move to the next question, so that a repeated key press cannot answer it.
  useFocusPassedOn(element, waitingHead);
  const hindrance = useHindrance();
  const [reason, setReason] = useState("");
  const { sent, refusal, answer } = useAnswering(request);
  const canAnswer = isArmed && sent === null && hindrance === null;
  const onAnswer = (decision: AnswerKey) => {
    if (canAnswer) void answer(decision, reason).catch(reportError);
  };
  return (
    <article
      ref={element}
      class="question"
      data-question={request.id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the key q moves the focus here, and Tab moves it to the answers.
      tabIndex={0}
      aria-label={`${request.from} ${askingText(request)}`}
    >
      <Asked request={request} />
      <Refusal error={refusal} />
      {sent && <SentLine sent={sent} />}
      {canAct && !sent && (
        <Answers {...{ request, reason, onAnswer, canAnswer, hindrance }} onReason={setReason} />
      )}
    </article>
  );
}

/** Sends one answer to `request`; another one only after a refusal. */
function useAnswering(request: RequestView) {
  const pageContext = usePageContext();
  const [sent, setSent] = useState(() => pageContext.answerTo(request));
  // In addition to the state, which changes only at the next rendering.
  const isSent = useRef(sent !== null);
  const [refusal, setRefusal] = useState<SourceError | null>(null);
  const answer = async (decision: AnswerKey, reason: string) => {
    if (isSent.current || (decision === "allow-always" && request.rule === null)) return;
    isSent.current = true;
    setSent(decision);
    setRefusal(null);
    try {
      await pageContext.page.source.answer(request.id, answerBody(request, decision, reason));
      pageContext.keepAnswer(request, decision);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      isSent.current = false;
      setSent(null);
      setRefusal(error);
    }
  };
  return { sent, refusal, answer };
}

/** The asking member, the exact call or plan, and the reason. */
export function Asked({ request }: { request: RequestView }) {
  const { from, type, summary, shown, diff, reason, rule, created_at } = request;
  return (
    <>
      <h3 class="question-head">
        <span>
          <MemberName name={from} /> {askingText(request)}
        </span>
        <Ago at={created_at} />
      </h3>
      {diff ? (
        <>
          <code class="asked-file">{summary}</code>
          <Diff lines={diff} />
          {/* If the diff omits lines, the arguments show everything. */}
          <details class="asked-whole" open={diff.some((line) => line.type === "skipped")}>
            <summary>All arguments</summary>
            <ScrollBox kind="asked" label="The call">
              {shown}
            </ScrollBox>
          </details>
        </>
      ) : type === "plan" ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable without a mouse.
        <section class="asked" aria-label="The plan" tabIndex={0}>
          <Prose text={shown} />
        </section>
      ) : (
        <ScrollBox kind="asked" label="The call">
          {shown}
        </ScrollBox>
      )}
      {reason && <p class="why">{reason}</p>}
      {rule && request.is_open && (
        <p class="rule">
          “Always” would allow <code>{rule}</code>
        </p>
      )}
    </>
  );
}

function SentLine({ sent }: { sent: AnswerKey }) {
  const isRunning = useRoom((room) => room.running !== null);
  const word = { "allow-once": "Yes", "allow-always": "Always", deny: "No" }[sent];
  return (
    <p class="sent" role="status">
      {word}: sent, {isRunning ? "waiting for the team" : "and taken up when the team runs again"}
    </p>
  );
}

interface AnswersProps {
  request: RequestView;
  reason: string;
  onReason: (reason: string) => void;
  onAnswer: (decision: AnswerKey) => void;
  canAnswer: boolean;
  hindrance: string | null;
}

function Answers({ request, reason, onReason, onAnswer, canAnswer, hindrance }: AnswersProps) {
  const isPlan = request.type === "plan";
  const label = isPlan ? "What should change (optional)" : "Reason for denying (optional)";
  const button = (decision: AnswerKey, title: string, look: string) => (
    <button
      type="button"
      class={`button ${look}`}
      // Not `disabled`: a disabled button would lose the focus each time its question moves.
      aria-disabled={!canAnswer}
      title={hindrance ?? undefined}
      onClick={() => onAnswer(decision)}
    >
      {title}
    </button>
  );
  return (
    <div class="answers">
      <textarea
        rows={1}
        aria-label={label}
        placeholder={label}
        value={reason}
        onInput={({ currentTarget }) => onReason(currentTarget.value)}
      />
      <div class="actions">
        {button("deny", isPlan ? "Reject" : "Deny", "is-bad")}
        {request.rule !== null && button("allow-always", "Always", "")}
        {button("allow-once", isPlan ? "Approve" : "Allow once", "is-strong")}
      </div>
    </div>
  );
}
