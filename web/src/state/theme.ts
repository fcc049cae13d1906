/** Light, dark, or the system's setting. */
export type Theme = "auto" | "light" | "dark";

const order: readonly Theme[] = ["auto", "light", "dark"];

export function themeOf(text: string | null): Theme {
  return order.find((theme) => theme === text) ?? "auto";
}

export function nextTheme(theme: Theme): Theme {
  return order[(order.indexOf(theme) + 1) % order.length] ?? "auto";
}

export function shownTheme(theme: Theme, isSystemDark: boolean): "light" | "dark" {
  if (theme !== "auto") return theme;
  return isSystemDark ? "dark" : "light";
}
