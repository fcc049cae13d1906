import type { Desk } from "../state/desk.ts";

/** Opens what waits for the person, and goes to the first question there. */
export function openDrawer(desk: Desk): void {
  desk.isDrawerOpen.set(true);
  // It cannot take the focus before it is drawn open.
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>(".waiting .question");
    (first ?? waitingHead())?.focus();
  });
}

/** Closes it. The focus does not stay where nobody sees it. */
export function closeDrawer(desk: Desk): void {
  if (document.querySelector(".waiting")?.contains(document.activeElement)) {
    document.querySelector<HTMLElement>(".drawer-button")?.focus();
  }
  desk.isDrawerOpen.set(false);
}

/** Where the focus is in the panel when it is on none of the questions. */
export function waitingHead(): HTMLElement | null {
  return document.getElementById("waiting-head");
}
