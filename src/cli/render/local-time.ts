/** The local date, as in `2026-11-15`. */
export function localDay(date: Date): string {
  return `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
}

/** The local time of day, as in `09:05:00`. */
export function localClock(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(padded).join(":");
}

export function localTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return "at an unknown time";
  return `${localDay(date)} ${localClock(date)}`;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
