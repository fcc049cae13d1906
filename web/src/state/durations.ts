/** The milliseconds from one time to another; null if either is not known. */
export function between(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const durationMs = Date.parse(to) - Date.parse(from);
  // If the clock was set back between the two, the difference means nothing.
  return Number.isFinite(durationMs) && durationMs >= 0 ? durationMs : null;
}

/** Such as `340 ms`, `4.2 s`, `3 min 12 s` or `2 h 5 min`. */
export function durationText(durationMs: number): string {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 9_950) return `${(durationMs / 1_000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
}
