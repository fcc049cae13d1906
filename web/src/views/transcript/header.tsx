import type { ComponentChildren } from "preact";
import { costText, shortCount } from "../../../../src/protocol/amounts.ts";
import type { MemberView } from "../../../../src/protocol/dashboard.ts";
import { StandingWord } from "../../parts/member.tsx";
import { fillPercent } from "../../state/amounts.ts";
import {
  cssColor,
  type MemberStanding,
  modeText,
  restingWords,
  standingOf,
  waitingText,
} from "../../state/members.ts";
import type { Page } from "../../state/page.ts";
import { usePageContext } from "../../state/page-context.ts";
import { useStore } from "../../state/store.ts";

interface HeaderProps {
  page: Page;
  name: string;
  /** The actions for the member. */
  actions: ComponentChildren;
}

/** The member's profile and current activity. */
export function Header({ page, name, actions }: HeaderProps) {
  const member = useStore(page.room, (room) => room?.members.get(name));
  const isRunning = useStore(page.room, (room) => room?.running != null);
  const isAsking = useStore(usePageContext().asking, (asking) => asking.has(name));
  const standing = member && standingOf(member.status, isRunning);
  return (
    <header class="transcript-header">
      <div class="transcript-title">
        <h2 style={{ color: cssColor(member?.color ?? null) }}>{name}</h2>
        {standing && <StandingWord standing={standing} isAsking={isAsking} />}
        <span class="transcript-role">{member?.role}</span>
        <div class="transcript-actions">{actions}</div>
      </div>
      {member && <Facts member={member} />}
      <p class="transcript-doing">{member && standing && doingText(member, standing)}</p>
    </header>
  );
}

function doingText({ doing, waits_for }: MemberView, standing: MemberStanding): string {
  if (waits_for !== null) return waitingText(waits_for);
  if (standing !== "working" || doing === null) return restingWords[standing];
  return [doing.tool, doing.text].filter(Boolean).join(" ");
}

function Facts({ member }: { member: MemberView }) {
  const { model, plan_required, context, tokens, unread } = member;
  const mode = modeText(member);
  const facts: [string, string | null][] = [
    ["model", model],
    ["mode", plan_required ? `${mode ?? ""} (plan required)`.trim() : mode],
    ["context", context && contextText(context)],
    ["tokens", shortCount(tokens)],
    ["cost", costText(member.cost_usd, member.unpriced_calls)],
    ["unread", unread > 0 ? String(unread) : null],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function contextText(context: NonNullable<MemberView["context"]>): string {
  const percent = fillPercent(context);
  if (percent === null) return `${shortCount(context.tokens)} tokens`;
  return `${percent} % of ${shortCount(context.window ?? 0)}`;
}
