import { expect, test } from "vitest";
import { dayText, momentText, timeOfDay, timeText } from "../../web/src/state/times.ts";

/** Made without a zone, so that it reads the same wherever the test runs. */
const at = new Date(2026, 4, 3, 9, 0, 1).toISOString();

test("a time has only the parts that differ from today", () => {
  expect(timeText(at, new Date(2026, 4, 3, 23))).toBe("09:00:01");
  expect(timeText(at, new Date(2026, 4, 4))).toBe("3 May, 09:00:01");
  expect(timeText(at, new Date(2027, 4, 3))).toBe("3 May 2026, 09:00:01");
});

test("a moment has its day and its year", () => {
  expect(momentText(at)).toBe("3 May 2026, 09:00:01");
  expect(dayText(at)).toBe("3 May");
});

test("an invalid time is shown unchanged", () => {
  const all = [timeOfDay, dayText, momentText, (text: string) => timeText(text, new Date(0))];

  expect(all.map((text) => text("soon"))).toEqual(["soon", "soon", "soon", "soon"]);
});
