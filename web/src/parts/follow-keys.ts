import { type KeyCommand, keyCommand } from "../state/keys.ts";
import { neighbour } from "../state/members.ts";
import type { PageContext } from "../state/page-context.ts";
import { closeDrawer, openDrawer } from "./drawer.ts";
import { tabs } from "./header.tsx";
import { hasModifier, isField } from "./typing.ts";

/** Handles the page's keys, until the returned function is called. */
export function followKeys(pageContext: PageContext): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    // An open dialog handles the keys itself, and keys that a component has handled are ignored.
    if (event.defaultPrevented || pageContext.overlay.value) return;
    const command = keyCommand({
      key: event.key,
      hasModifier: hasModifier(event),
      isTyping: isField(event.target),
    });
    if (!command) return;
    carryOut(pageContext, command);
    if (command.type !== "escape") event.preventDefault();
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}

function carryOut(pageContext: PageContext, command: KeyCommand): void {
  switch (command.type) {
    case "view":
      showTab(pageContext, command.index);
      break;
    case "member":
      focusMember(pageContext, command.step);
      break;
    case "question":
      openDrawer(pageContext);
      break;
    case "write":
      document.getElementById("composer-text")?.focus();
      break;
    case "search":
      focusSearch();
      break;
    case "theme":
      pageContext.switchTheme();
      break;
    case "help":
      pageContext.overlay.set({ type: "help" });
      break;
    case "escape":
      leaveOff(pageContext);
  }
}

function showTab(pageContext: PageContext, index: number): void {
  const tab = tabs[index];
  if (tab) pageContext.page.go(tab.route);
}

function focusMember(pageContext: PageContext, step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(".rail [data-member]")];
  const names = links.map(({ dataset }) => dataset.member ?? "");
  const focused = document.activeElement;
  const route = pageContext.page.route.value;
  const shown = route.view === "member" ? route.name : null;
  const current = focused instanceof HTMLElement ? (focused.dataset.member ?? shown) : shown;
  const next = neighbour(names, current, step);
  links.find(({ dataset }) => dataset.member === next)?.focus();
}

/**
 * Moves the focus to the view's search field, or to the filter of the members if the view has none.
 */
function focusSearch(): void {
  const fieldsIn = (part: string) => [
    ...document.querySelectorAll<HTMLElement>(`${part} input[type=search]`),
  ];
  const fields = [...fieldsIn(".main"), ...fieldsIn(".rail")];
  fields.find((field) => field.checkVisibility())?.focus();
}

function leaveOff(pageContext: PageContext): void {
  const focused = document.activeElement;
  if (isField(focused) && focused instanceof HTMLElement) focused.blur();
  else if (pageContext.isDrawerOpen.value) closeDrawer(pageContext);
  else pageContext.away.set(null);
}
