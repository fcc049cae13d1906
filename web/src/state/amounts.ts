/** Formats numbers and durations. */

/** An elapsed time like on a stopwatch: `0:07`, `12:30`, `1:02:03`. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** The age of something, in one unit: `now`, `40 s`, `3 min`, `5 h`, `2 d`. */
export function agoText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** How full a context is, in percent; null if unknown. */
export function fillPercent(
  context: { tokens: number; window: number | null } | null,
): number | null {
  if (!context?.window) return null;
  return Math.min(100, Math.round((context.tokens / context.window) * 100));
}

/** `1 task`, `3 tasks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
