import { useMemo, useRef } from "preact/hooks";
import { costText, shortCount } from "../../../../src/protocol/amounts.ts";
import type { MemberView } from "../../../../src/protocol/dashboard.ts";
import { PenIcon, StopIcon } from "../../parts/icons.tsx";
import { Ago, Clock, ContextFill, StandingMark, StandingWord } from "../../parts/member.tsx";
import { type SeenMember, useMember } from "../../parts/use-member.ts";
import { counted } from "../../state/amounts.ts";
import { cssColor, type MemberStanding, restingWords, waitingText } from "../../state/members.ts";
import { usePageContext } from "../../state/page-context.ts";
import { hashOf } from "../../state/route.ts";

/**
 * All facts about one member. The card is rendered again only if the member has changed and is
 * visible.
 */
export function MemberCard({ name }: { name: string }) {
  const element = useRef<HTMLLIElement>(null);
  const seen = useMember(name, element);
  const inside = useMemo(
    () => seen && <Card {...seen} />,
    [seen?.member, seen?.standing, seen?.isAsking],
  );
  return (
    <li ref={element} class="card" data-standing={seen?.isAsking ? "asks" : seen?.standing}>
      {inside}
    </li>
  );
}

function Card({ member, standing, isAsking }: SeenMember) {
  return (
    <>
      <div class="card-head">
        <StandingMark standing={standing} isAsking={isAsking} />
        <h3>
          <a href={hashOf({ view: "member", name: member.name })}>
            <span style={{ color: cssColor(member.color) }}>{member.name}</span>
          </a>
        </h3>
        <span class="card-role" title={member.role}>
          {member.role}
        </span>
        <StandingWord standing={standing} isAsking={isAsking} />
        <MemberActions name={member.name} standing={standing} />
      </div>
      <DoingLine member={member} standing={standing} />
      <Figures member={member} />
    </>
  );
}

function DoingLine({ member, standing }: Omit<SeenMember, "isAsking">) {
  const { doing, waits_for } = member;
  if (standing !== "working" || doing === null) {
    const text = waits_for === null ? restingWords[standing] : waitingText(waits_for);
    return <p class="card-doing soft">{text}</p>;
  }
  return (
    // Each tool gets a new element, so that nothing of the previous one moves.
    <p class="card-doing" key={doing.tool} title={doing.text}>
      {doing.tool && <code class="card-tool">{doing.tool}</code>}
      <span class="card-text">{doing.text}</span>
      {waits_for !== null && <span class="card-waits">{waitingText(waits_for)}</span>}
      <Clock since={doing.since} />
    </p>
  );
}

function Figures({ member }: { member: MemberView }) {
  const { context, tokens, cost_usd, unpriced_calls, unread, last_activity } = member;
  return (
    <dl class="figures">
      <div>
        <dt>Context</dt>
        <dd>
          <ContextFill context={context} />
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>{shortCount(tokens)}</dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd
          title={unpriced_calls > 0 ? `${counted(unpriced_calls, "call")} with unknown price` : ""}
        >
          {costText(cost_usd, unpriced_calls)}
        </dd>
      </div>
      <div>
        <dt>Unread</dt>
        <dd>{unread}</dd>
      </div>
      <div>
        <dt>Active</dt>
        <dd>{last_activity ? <Ago at={last_activity} /> : "–"}</dd>
      </div>
    </dl>
  );
}

/** Buttons to write to a member and to stop it. */
export function MemberActions({ name, standing }: { name: string; standing: MemberStanding }) {
  const pageContext = usePageContext();
  if (!pageContext.page.source.canAct) return null;
  const canStop = standing === "working" || standing === "idle";
  return (
    <span class="card-actions">
      <button
        type="button"
        class="tool"
        title={`Write to ${name}`}
        aria-label={`Write to ${name}`}
        onClick={() => pageContext.write(name)}
      >
        <PenIcon />
      </button>
      <button
        type="button"
        class="tool"
        title={canStop ? `Stop ${name}` : `${name} is not running`}
        aria-label={`Stop ${name}`}
        disabled={!canStop}
        onClick={() => pageContext.overlay.set({ type: "stop", member: name })}
      >
        <StopIcon />
      </button>
    </span>
  );
}
