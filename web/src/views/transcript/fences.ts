/** A part of a text: as it was written, or code between fences. */
export interface Part {
  type: "plain" | "code";
  text: string;
}

const fence = /^ {0,3}(`{3,})([^`]*)$/;

/**
 * A text in parts. Three backticks or more at the beginning of a line open a part of code, and as
 * many alone on a line close it. One that nobody closes goes on to the end, as while it is written.
 */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let lines: string[] = [];
  let ticks: string | null = null;
  const take = (type: Part["type"]) => {
    const part = lines.join("\n");
    if (type === "code" || part.trim() !== "") parts.push({ type, text: part });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [, mark, rest = ""] = fence.exec(line.replace(/\r$/, "")) ?? [];
    if (ticks === null && mark) {
      take("plain");
      ticks = mark;
    } else if (ticks !== null && mark?.startsWith(ticks) && rest.trim() === "") {
      take("code");
      ticks = null;
    } else {
      lines.push(line);
    }
  }
  take(ticks === null ? "plain" : "code");
  return parts;
}
