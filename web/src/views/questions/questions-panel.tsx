import { useEffect, useRef, useState } from "preact/hooks";
import type { RequestView } from "../../../../src/protocol/dashboard.ts";
import { useMedia } from "../../hooks/use-media.ts";
import { closeDrawer } from "../../parts/drawer.ts";
import { CloseIcon } from "../../parts/icons.tsx";
import { Ago, MemberName } from "../../parts/member.tsx";
import { usePageContext, useRoomList } from "../../state/page-context.ts";
import { announcement, askingText, decisionText, questionsOf } from "../../state/questions.ts";
import { useStore } from "../../state/store.ts";
import "../../styles/questions.css";
import { Asked, Question } from "./question.tsx";

/** Below this width the panel is a drawer. shell.css has the same number. */
const drawerQuery = "(max-width: 1099px)";

/** The open questions. The panel keeps its space even if there are none. */
export function QuestionsPanel() {
  const pageContext = usePageContext();
  const isOpen = useStore(pageContext.isDrawerOpen, (value) => value);
  const isDrawer = useMedia(drawerQuery);
  const open = useRoomList((room) => questionsOf(room).open);
  const canAct = pageContext.page.source.canAct;
  return (
    <aside
      class="waiting"
      id="waiting"
      aria-label="Waiting for you"
      data-open={isOpen}
      inert={isDrawer && !isOpen}
    >
      <PanelHead count={open.length} />
      <div class="waiting-body">
        <div class="waiting-content">
          {open.length === 0 && (
            <p class="empty">No open questions. Questions and plans appear here.</p>
          )}
          <div class="questions">
            {open.map((request) => (
              <Question
                key={`${request.id} ${request.hash}`}
                request={request}
                isVisible={canAct && (!isDrawer || isOpen)}
              />
            ))}
          </div>
          <Others />
        </div>
      </div>
      <Announcer open={open} />
    </aside>
  );
}

function PanelHead({ count }: { count: number }) {
  const pageContext = usePageContext();
  return (
    <header class="waiting-head">
      {/* It gets the focus when a focused question disappears. */}
      <h2 id="waiting-head" tabIndex={-1}>
        Waiting for you
      </h2>
      {count > 0 && <span class="badge">{count}</span>}
      <button
        type="button"
        class="tool drawer-close"
        aria-label="Close"
        onClick={() => closeDrawer(pageContext)}
      >
        <CloseIcon />
      </button>
    </header>
  );
}

/** The requests for others to decide, and the decided ones. */
function Others() {
  const elsewhere = useRoomList((room) => questionsOf(room).elsewhere);
  const decided = useRoomList((room) => questionsOf(room).decided);
  return (
    <>
      {elsewhere.length > 0 && (
        <details class="folded">
          <summary>For others to decide · {elsewhere.length}</summary>
          {elsewhere.map((request) => (
            <Settled key={request.id} request={request} text={`${request.to} decides`} />
          ))}
        </details>
      )}
      {decided.length > 0 && (
        <details class="folded">
          <summary>Decided · {decided.length}</summary>
          {decided.map((request) => (
            <Settled key={request.id} request={request} text={decisionText(request)} />
          ))}
        </details>
      )}
    </>
  );
}

function Settled({ request, text }: { request: RequestView; text: string }) {
  const { from, decision, created_at, state } = request;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="settled" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="settled-line">
          <MemberName name={from} /> {askingText(request)}
        </span>
        <Ago at={decision?.at ?? created_at} />
        <span class="settled-state" data-state={state}>
          {text}
        </span>
      </summary>
      {isOpen && <Asked request={request} />}
      {isOpen && decision?.reason && <p class="why">{decision.reason}</p>}
      {isOpen && decision?.rule && (
        <p class="rule">
          From then on <code>{decision.rule}</code>
        </p>
      )}
    </details>
  );
}

/** Announces new questions to screen readers. */
function Announcer({ open }: { open: readonly RequestView[] }) {
  const announced = useRef<ReadonlySet<string>>(new Set());
  const [text, setText] = useState("");
  useEffect(() => {
    const news = announcement(open, announced.current);
    announced.current = new Set(open.map(({ id }) => id));
    if (news) setText(news);
  }, [open]);
  return (
    <p class="hidden" aria-live="polite">
      {text}
    </p>
  );
}
