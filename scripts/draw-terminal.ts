const cell = { width: 8.4, height: 18 };
const margin = 14;

const colors: Readonly<Record<string, string>> = {
  31: "#ff7b72",
  32: "#7ee787",
  33: "#e3b341",
  34: "#79c0ff",
  35: "#d2a8ff",
  36: "#56d4dd",
  37: "#e6edf3",
  90: "#8b949e",
};
const foreground = "#e6edf3";
const background = "#0d1117";

interface Style {
  color: string;
  isBold: boolean;
  isDim: boolean;
  isUnderlined: boolean;
}

const plain: Style = { color: foreground, isBold: false, isDim: false, isUnderlined: false };

/** Draws a terminal's content, as tmux captures it with its styles, as a picture. */
export function drawTerminal(screen: string, size: { columns: number; rows: number }): string {
  const width = Math.ceil(size.columns * cell.width + 2 * margin);
  const lines = screen.replace(/\n+$/, "").split("\n");
  const height = lines.length * cell.height + 2 * margin;
  let style = plain;
  const rows = lines.map((line, row) => {
    const drawn = drawLine(line, row, style);
    style = drawn.style;
    return drawn.text;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    "<title>Troupe's screen</title>",
    "<style>text { white-space: pre }</style>",
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">`,
    ...rows.filter((row) => row !== ""),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function drawLine(line: string, row: number, before: Style): { text: string; style: Style } {
  let style = before;
  let column = 0;
  const spans: string[] = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are control sequences.
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are control sequences.
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) {
      style = codes.split(";").reduce(styled, style);
      continue;
    }
    if (part.trim() !== "") spans.push(span(part, column, style));
    column += [...part].length;
  }
  const y = margin + row * cell.height + 13;
  return { text: spans.length > 0 ? `<text y="${y}">${spans.join("")}</text>` : "", style };
}

function span(text: string, column: number, style: Style): string {
  const attributes = [
    `x="${(margin + column * cell.width).toFixed(1)}"`,
    `textLength="${([...text].length * cell.width).toFixed(1)}"`,
    `fill="${style.color}"`,
    ...(style.isBold ? ['font-weight="bold"'] : []),
    ...(style.isDim ? ['fill-opacity="0.6"'] : []),
    ...(style.isUnderlined ? ['text-decoration="underline"'] : []),
  ];
  return `<tspan ${attributes.join(" ")}>${escaped(text)}</tspan>`;
}

function styled(style: Style, code: string): Style {
  if (code === "" || code === "0") return plain;
  if (code === "1") return { ...style, isBold: true };
  if (code === "2") return { ...style, isDim: true };
  if (code === "22") return { ...style, isBold: false, isDim: false };
  if (code === "4") return { ...style, isUnderlined: true };
  if (code === "24") return { ...style, isUnderlined: false };
  if (code === "39") return { ...style, color: foreground };
  return { ...style, color: colors[code] ?? style.color };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
