import { shortCount } from "../../../src/protocol/amounts.ts";
import type { MemberView } from "../../../src/protocol/dashboard.ts";
import { agoText, clockText, fillPercent } from "../state/amounts.ts";
import { cssColor, type MemberStanding, standingWords } from "../state/members.ts";
import { usePageContext, useRoom } from "../state/page-context.ts";
import { useStore } from "../state/store.ts";

/** A member's name in its colour. */
export function MemberName({ name }: { name: string }) {
  const color = useRoom(({ members }) => members.get(name)?.color ?? null);
  return (
    <span class="member-name" style={{ color: cssColor(color) }}>
      {name}
    </span>
  );
}

/** The state of a member as a shape and colour, with a text for screen readers. */
export function StandingMark({
  standing,
  isAsking,
}: {
  standing: MemberStanding;
  isAsking: boolean;
}) {
  const word = isAsking ? "needs you" : standingWords[standing];
  return (
    <span class="mark" data-standing={isAsking ? "asks" : standing} title={word}>
      <span class="hidden">{word}</span>
    </span>
  );
}

export function StandingWord({
  standing,
  isAsking,
}: {
  standing: MemberStanding;
  isAsking: boolean;
}) {
  return (
    <span class="standing" data-standing={isAsking ? "asks" : standing}>
      {isAsking ? "needs you" : standingWords[standing]}
    </span>
  );
}

/** The elapsed time, updated every second. */
export function Clock({ since }: { since: string }) {
  const text = useStore(usePageContext().now, (now) => clockText(now - Date.parse(since)));
  return <span class="clock">{text}</span>;
}

export function Ago({ at }: { at: string }) {
  const text = useStore(usePageContext().now, (now) => agoText(now - Date.parse(at)));
  return (
    <time class="clock" dateTime={at}>
      {text}
    </time>
  );
}

/** How full a member's context is. */
export function ContextFill({ context }: { context: MemberView["context"] }) {
  const percent = fillPercent(context);
  const known = context === null ? "–" : shortCount(context.tokens);
  const title =
    context?.window == null
      ? "The context size of its model is unknown"
      : `${context.tokens} of ${context.window} tokens of context used`;
  return (
    <span class="fill" title={title}>
      <span class="fill-bar" data-level={percent !== null && percent >= 80 ? "high" : "calm"}>
        <span style={{ width: `${percent ?? 0}%` }} />
      </span>
      <span class="clock">{percent === null ? known : `${percent}%`}</span>
    </span>
  );
}
