import { render } from "preact";
import "./styles/tokens.css";
import "./styles/base.css";
import { App } from "./app.tsx";
import { LiveSource, takeToken } from "./source/live-source.ts";
import { recordedSource } from "./source/recorded-source.ts";
import { BrowserStorage } from "./state/browser-storage.ts";
import { Page } from "./state/page.ts";
import { PageContext } from "./state/page-context.ts";
import { titleOf } from "./state/questions.ts";
import { hashOf, routeOf } from "./state/route.ts";
import { shownTheme } from "./state/theme.ts";

const token = takeToken();
const page = new Page(recordedSource() ?? new LiveSource(token), routeOf(location.hash));
const pageContext = new PageContext({
  page,
  storage: new BrowserStorage(() => localStorage),
  tabStorage: new BrowserStorage(() => sessionStorage),
});

followTheme();
followRoom();
followPresence();
// First, so that the token of a new address is removed before other code reads the address.
page.source.listen(page);
window.addEventListener("hashchange", followAddress);
followAddress();

const root = document.getElementById("app");
if (root) render(<App pageContext={pageContext} />, root);

/**
 * Shows the view that the address names. An unknown one is corrected, without an entry in the
 * history.
 */
function followAddress(): void {
  const route = routeOf(location.hash);
  if (location.hash !== hashOf(route)) history.replaceState(null, "", hashOf(route));
  page.go(route);
}

function followTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    document.documentElement.dataset.theme = shownTheme(pageContext.theme.value, dark.matches);
  };
  dark.addEventListener("change", apply);
  pageContext.theme.subscribe(apply);
  apply();
}

/** Updates the tab's title and icon, and reloads the page if the server has another version. */
function followRoom(): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  let seen: string | null = null;
  page.room.subscribe(() => {
    const room = page.room.value;
    if (!room) return;
    if (pageContext.isOutdatedBy(room)) location.reload();
    const open = [...room.requests.values()].filter(({ is_open }) => is_open).length;
    const title = titleOf(open, room.team?.name ?? null);
    if (document.title !== title) document.title = title;
    const href = iconOf(open > 0);
    if (icon && icon.href !== href) icon.href = href;
    if (room.team && room.team.id !== seen) {
      seen = room.team.id;
      if (document.visibilityState === "visible") look();
    }
  });
}

function followPresence(): void {
  const isHere = () => document.visibilityState === "visible";
  document.addEventListener("visibilitychange", () => (isHere() ? look() : pageContext.leave()));
  window.addEventListener("pagehide", () => pageContext.leave());
  setInterval(() => isHere() && pageContext.now.set(Date.now()), 1_000);
  // A browser that is killed sends no event.
  setInterval(() => isHere() && pageContext.leave(), 15_000);
}

function look(): void {
  pageContext.now.set(Date.now());
  void pageContext.look().catch(reportError);
}

function iconOf(isAsked: boolean): string {
  const mark = isAsked ? '<circle cx="25" cy="7" r="7" fill="#e08a00"/>' : "";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#7a3ff2"/><path d="M8 10h16v4h-6v10h-4V14H8z" fill="#fff"/>${mark}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
