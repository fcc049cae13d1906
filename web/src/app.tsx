import { useEffect, useRef } from "preact/hooks";
import { Composer } from "./parts/composer.tsx";
import { followKeys } from "./parts/follow-keys.ts";
import { Header } from "./parts/header.tsx";
import { Help } from "./parts/help.tsx";
import {
  ConnectingNotice,
  LockedNotice,
  ObstacleNotice,
  StrangerNotice,
  WaitingNotice,
} from "./parts/notice.tsx";
import { Rail } from "./parts/rail.tsx";
import { StopDialog } from "./parts/stop-dialog.tsx";
import { Strip } from "./parts/strip.tsx";
import {
  type PageContext,
  PageContextProvider,
  usePageContext,
  useRoom,
} from "./state/page-context.ts";
import type { Route } from "./state/route.ts";
import { useStore } from "./state/store.ts";
import "./styles/shell.css";
import { standingOf } from "./state/members.ts";
import { AwayPanel } from "./views/away/away-panel.tsx";
import { ChangesView } from "./views/changes/changes-view.tsx";
import { CostView } from "./views/cost/cost-view.tsx";
import { MessagesView } from "./views/messages/messages-view.tsx";
import { PermissionsView } from "./views/permissions/permissions-view.tsx";
import { QuestionsPanel } from "./views/questions/questions-panel.tsx";
import { MemberActions } from "./views/room/member-card.tsx";
import { RoomView } from "./views/room/room-view.tsx";
import { TasksView } from "./views/tasks/tasks-view.tsx";
import { TranscriptView } from "./views/transcript/transcript-view.tsx";

/** The whole page. */
export function App({ pageContext }: { pageContext: PageContext }) {
  useEffect(() => followKeys(pageContext), [pageContext]);
  const locked = useStore(pageContext.page.connection, (connection) =>
    connection.type === "locked" ? connection.reason : null,
  );
  return (
    <PageContextProvider value={pageContext}>
      {locked ? <LockedNotice reason={locked} /> : <Shell />}
    </PageContextProvider>
  );
}

function Shell() {
  const { page } = usePageContext();
  const toMain = () => document.getElementById("main")?.focus();
  return (
    <div class="shell" data-acting={page.source.canAct}>
      <button type="button" class="skip" onClick={toMain}>
        Skip to main content
      </button>
      <Header />
      <Strip />
      <Rail />
      <main class="main" id="main" tabIndex={-1}>
        <MainView />
      </main>
      {page.source.canAct && <Composer />}
      <QuestionsPanel />
      <AwayPanel />
      <OverlayPart />
    </div>
  );
}

/** The view that the address names, or a notice if it cannot be shown. */
function MainView() {
  const { page } = usePageContext();
  const route = useStore(page.route, (value) => value);
  useFocusInMain(route);
  const directory = useRoom((room) => room.directory);
  const obstacle = useRoom((room) => room.obstacle);
  const team = useRoom((room) => room.team?.id ?? null);
  const isKnown = useRoom(({ members }) => route.view === "member" && members.has(route.name));
  if (directory === null) return <ConnectingNotice />;
  if (obstacle) return <ObstacleNotice obstacle={obstacle} directory={directory} />;
  if (team === null) return <WaitingNotice directory={directory} />;
  switch (route.view) {
    case "room":
      return <RoomView />;
    case "messages":
      return (
        <div class="framed">
          <MessagesView page={page} member={route.member} />
        </div>
      );
    case "tasks":
      return (
        <div class="framed">
          <TasksView page={page} />
        </div>
      );
    case "cost":
      return (
        <div class="framed">
          <CostView page={page} />
        </div>
      );
    case "permissions":
      return (
        <div class="framed">
          <PermissionsView page={page} />
        </div>
      );
    case "changes":
      return (
        <div class="framed">
          <ChangesView page={page} />
        </div>
      );
    case "member":
      return isKnown ? (
        <MemberPage key={`${team} ${route.name}`} name={route.name} />
      ) : (
        <StrangerNotice name={route.name} />
      );
  }
}

/** Moves the focus to the main part if the focused element was removed with the previous view. */
function useFocusInMain(route: Route): void {
  const known = useRef(route);
  useEffect(() => {
    if (known.current === route) return;
    known.current = route;
    if (document.activeElement === document.body) document.getElementById("main")?.focus();
  }, [route]);
}

function OverlayPart() {
  const pageContext = usePageContext();
  const overlay = useStore(pageContext.overlay, (value) => value);
  const close = () => pageContext.overlay.set(null);
  switch (overlay?.type) {
    case "help":
      return <Help onClose={close} />;
    case "stop":
      return <StopDialog member={overlay.member} onClose={close} />;
    case undefined:
      return null;
  }
}

/** A member's transcript, with the actions for the member. */
function MemberPage({ name }: { name: string }) {
  const { page } = usePageContext();
  const standing = useRoom(({ members, running }) => {
    const member = members.get(name);
    return member ? standingOf(member.status, running !== null) : null;
  });
  const actions = standing && <MemberActions name={name} standing={standing} />;
  return <TranscriptView page={page} name={name} actions={actions} />;
}
