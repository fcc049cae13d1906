import { costText, shortCount } from "../../../src/protocol/amounts.ts";
import { counted } from "../state/amounts.ts";
import { spendOf } from "../state/members.ts";
import { usePageContext, useRoom } from "../state/page-context.ts";
import { hashOf, type Route } from "../state/route.ts";
import { useStore } from "../state/store.ts";
import { closeDrawer, openDrawer } from "./drawer.ts";
import { AutoIcon, BellIcon, HelpIcon, MoonIcon, StopIcon, SunIcon } from "./icons.tsx";

/** The views that have their own key, in the order of the keys. */
export const tabs: readonly { title: string; route: Route }[] = [
  { title: "Overview", route: { view: "room" } },
  { title: "Messages", route: { view: "messages", member: null } },
  { title: "Tasks", route: { view: "tasks" } },
  { title: "Cost", route: { view: "cost" } },
  { title: "Permissions", route: { view: "permissions" } },
  { title: "Changes", route: { view: "changes" } },
];

export function Header() {
  const { page } = usePageContext();
  const team = useRoom((room) => room.team?.name ?? null);
  const view = useStore(page.route, (route) => route.view);
  return (
    <header class="header">
      <h1 class="team">
        <span class="logo" aria-hidden="true" />
        <span class="team-name" title={team ?? undefined}>
          {team ?? "Troupe"}
        </span>
      </h1>
      <nav class="tabs" aria-label="Views">
        {tabs.map(({ title, route }, index) => (
          <a
            key={title}
            href={hashOf(route)}
            aria-current={view === route.view ? "page" : undefined}
            aria-keyshortcuts={String(index + 1)}
          >
            {title}
          </a>
        ))}
      </nav>
      <Spending />
      <Tools />
    </header>
  );
}

function Spending() {
  const cost = useRoom((room) => {
    const { usd, unpricedCalls } = spendOf(room.members.values());
    return costText(usd, unpricedCalls);
  });
  const tokens = useRoom((room) => shortCount(spendOf(room.members.values()).tokens));
  const unpriced = useRoom(({ members }) => spendOf(members.values()).unpricedCalls) ?? 0;
  const title = unpriced > 0 ? `${counted(unpriced, "call")} with unknown price` : "Spent so far";
  return (
    <span class="spending clock" title={title}>
      {cost}
      <span class="wide-only">{tokens && ` · ${tokens} tokens`}</span>
    </span>
  );
}

function Tools() {
  const pageContext = usePageContext();
  const isRunning = useRoom((room) => room.team !== null && room.running !== null);
  return (
    <div class="tools">
      <DrawerButton />
      {pageContext.page.source.canAct && (
        <button
          type="button"
          class="tool"
          title="Stop all members"
          aria-label="Stop all members"
          disabled={!isRunning}
          onClick={() => pageContext.overlay.set({ type: "stop", member: null })}
        >
          <StopIcon />
        </button>
      )}
      <ThemeButton />
      <button
        type="button"
        class="tool"
        title="Help (?)"
        aria-label="Help"
        onClick={() => pageContext.overlay.set({ type: "help" })}
      >
        <HelpIcon />
      </button>
    </div>
  );
}

function ThemeButton() {
  const pageContext = usePageContext();
  const theme = useStore(pageContext.theme, (value) => value);
  const ThemeIcon = { auto: AutoIcon, light: SunIcon, dark: MoonIcon }[theme];
  return (
    <button
      type="button"
      class="tool"
      title={`Theme: ${theme} (t)`}
      aria-label={`Theme: ${theme}`}
      onClick={() => pageContext.switchTheme()}
    >
      <ThemeIcon />
    </button>
  );
}

/** Opens the panel of open questions on a small screen. */
function DrawerButton() {
  const pageContext = usePageContext();
  const isOpen = useStore(pageContext.isDrawerOpen, (value) => value);
  const open = useRoom(({ requests }) => openCount(requests.values())) ?? 0;
  return (
    <button
      type="button"
      class="tool drawer-button"
      aria-expanded={isOpen}
      aria-controls="waiting"
      aria-label={`Waiting for you: ${open}`}
      data-asked={open > 0}
      onClick={() => (isOpen ? closeDrawer(pageContext) : openDrawer(pageContext))}
    >
      <BellIcon />
      <span class="clock">{open}</span>
    </button>
  );
}

function openCount(requests: Iterable<{ is_open: boolean }>): number {
  return [...requests].filter(({ is_open }) => is_open).length;
}
