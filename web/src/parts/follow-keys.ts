import type { Desk } from "../state/desk.ts";
import { type KeyCommand, keyCommand } from "../state/keys.ts";
import { neighbour } from "../state/members.ts";
import { closeDrawer, openDrawer } from "./drawer.ts";
import { tabs } from "./header.tsx";
import { hasModifier, isField } from "./typing.ts";

/** Handles the page's keys, until the returned function is called. */
export function followKeys(desk: Desk): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    // An open dialog handles the keys itself, and keys that a component has handled are ignored.
    if (event.defaultPrevented || desk.overlay.value) return;
    const command = keyCommand({
      key: event.key,
      hasModifier: hasModifier(event),
      isTyping: isField(event.target),
    });
    if (!command) return;
    carryOut(desk, command);
    if (command.type !== "escape") event.preventDefault();
  };
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}

function carryOut(desk: Desk, command: KeyCommand): void {
  switch (command.type) {
    case "view":
      showTab(desk, command.index);
      break;
    case "member":
      focusMember(desk, command.step);
      break;
    case "question":
      openDrawer(desk);
      break;
    case "write":
      document.getElementById("composer-text")?.focus();
      break;
    case "search":
      focusSearch();
      break;
    case "theme":
      desk.switchTheme();
      break;
    case "help":
      desk.overlay.set({ type: "help" });
      break;
    case "escape":
      leaveOff(desk);
  }
}

function showTab(desk: Desk, index: number): void {
  const tab = tabs[index];
  if (tab) desk.page.go(tab.route);
}

function focusMember(desk: Desk, step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(".rail [data-member]")];
  const names = links.map(({ dataset }) => dataset.member ?? "");
  const focused = document.activeElement;
  const route = desk.page.route.value;
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

function leaveOff(desk: Desk): void {
  const focused = document.activeElement;
  if (isField(focused) && focused instanceof HTMLElement) focused.blur();
  else if (desk.isDrawerOpen.value) closeDrawer(desk);
  else desk.away.set(null);
}
