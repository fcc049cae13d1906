import type { ComponentChildren } from "preact";
import type { Obstacle } from "../../../src/protocol/dashboard.ts";
import type { LockedReason } from "../source/source.ts";
import { usePageContext } from "../state/page-context.ts";

/** The message that is shown in place of the team. */
function Notice({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="notice">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

const lockedTexts: Readonly<Record<LockedReason, { title: string; text: string }>> = {
  missing: {
    title: "This page needs a key",
    text: "The dashboard opens only with the address that the terminal prints.",
  },
  expired: {
    title: "This address has been used",
    text: "Each address works once, within an hour. The team keeps running.",
  },
  ended: {
    title: "This dashboard has ended",
    text: "Its server was stopped or restarted, or the session is older than a week. The page no longer exchanges data with this address. The team keeps running.",
  },
};

export function LockedNotice({ reason }: { reason: LockedReason }) {
  const { title, text } = lockedTexts[reason];
  const unsent = usePageContext().draft.value.text.trim();
  return (
    <main class="locked">
      <h1 class="hidden">Troupe</h1>
      <Notice title={title}>
        <p>
          Run <code>troupe web</code> in your terminal to get a new address.
        </p>
        <p class="soft">{text}</p>
        {unsent !== "" && (
          <>
            <p>Your unsent text:</p>
            <pre>{unsent}</pre>
          </>
        )}
      </Notice>
    </main>
  );
}

export function WaitingNotice({ directory }: { directory: string }) {
  return (
    <Notice title="There is no team here yet">
      <p>
        Run <code>troupe</code> or <code>troupe run "…"</code> in your project. This page updates
        automatically.
      </p>
      <p class="soft">
        It watches <code>{directory}</code>
      </p>
    </Notice>
  );
}

export function ObstacleNotice({ obstacle, directory }: { obstacle: Obstacle; directory: string }) {
  return (
    <Notice title="This team cannot be shown">
      <p>{obstacle.message}</p>
      {obstacle.hint && <p>{obstacle.hint}</p>}
      <p class="soft">
        <code>{directory}</code> · {obstacle.code}. The page updates automatically once this is
        fixed.
      </p>
    </Notice>
  );
}

export function StrangerNotice({ name }: { name: string }) {
  return (
    <Notice title={`There is no member ${name}`}>
      <p>
        <a href="#/">Back to the overview</a>
      </p>
    </Notice>
  );
}

export function ConnectingNotice() {
  return (
    <Notice title="Connecting">
      <p class="soft">Loading the team.</p>
    </Notice>
  );
}
