import type { Desk } from "../state/desk.ts";

/** Opens the questions that wait for the person, and moves the focus to the first. */
export function openDrawer(desk: Desk): void {
  desk.isDrawerOpen.set(true);
  // The panel cannot take the focus before it is shown.
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>(".waiting .question");
    (first ?? waitingHead())?.focus();
  });
}

/** Closes the panel, and moves the focus out of it. */
export function closeDrawer(desk: Desk): void {
  if (document.querySelector(".waiting")?.contains(document.activeElement)) {
    document.querySelector<HTMLElement>(".drawer-button")?.focus();
  }
  desk.isDrawerOpen.set(false);
}

/** The element in the panel that has the focus when no question has it. */
export function waitingHead(): HTMLElement | null {
  return document.getElementById("waiting-head");
}
