/** Formats times in the person's time zone. */

export const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Such as `09:00:01`. Text that is not a time is returned unchanged. */
export function timeOfDay(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

/** Such as `3 May`. */
export function dayText(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return `${date.getDate()} ${months[date.getMonth()]}`;
}

/** Such as `3 May 2026, 09:00:01`. */
export function momentText(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return `${dayText(at)} ${date.getFullYear()}, ${timeOfDay(at)}`;
}

/** The time of day, with the day or the year if it differs from `now`. */
export function timeText(at: string, now: Date): string {
  const date = new Date(at);
  if (date.toDateString() === now.toDateString()) return timeOfDay(at);
  if (date.getFullYear() !== now.getFullYear()) return momentText(at);
  return `${dayText(at)}, ${timeOfDay(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
