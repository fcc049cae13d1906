import type { MemberName } from "../../protocol/ids.ts";

type Style = (text: string) => string;

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  strike: [9, 29],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: [37, 39],
  gray: [90, 39],
} as const;

type StyleName = keyof typeof codes;

/** The text styles. They nest: no style ends the one around it. */
export interface Paint extends Readonly<Record<StyleName, Style>> {
  /** False if styles have no effect: then characters must carry the meaning. */
  readonly hasColors: boolean;
  /** The text in a colour by name, such as a member's; unchanged if there is no such colour. */
  named(color: string | undefined, text: string): string;
}

/** The width and the styles that a text is rendered with. */
export interface TextFormat {
  width: number;
  paint: Paint;
  colorOf?(name: MemberName): string | undefined;
}

export function paintFor(hasColors: boolean): Paint {
  const style = (name: StyleName) => (hasColors ? styleOf(codes[name]) : asItIs);
  const byName = {
    bold: style("bold"),
    dim: style("dim"),
    italic: style("italic"),
    underline: style("underline"),
    inverse: style("inverse"),
    strike: style("strike"),
    red: style("red"),
    green: style("green"),
    yellow: style("yellow"),
    blue: style("blue"),
    magenta: style("magenta"),
    cyan: style("cyan"),
    white: style("white"),
    gray: style("gray"),
  };
  const colors = new Map<string | undefined, Style>(
    Object.entries(byName).filter(([name]) => colorNames.has(name)),
  );
  return {
    ...byName,
    hasColors,
    named: (color, text) => (colors.get(color) ?? asItIs)(text),
  };
}

const colorNames = new Set(["red", "green", "yellow", "blue", "magenta", "cyan", "white", "gray"]);

function asItIs(text: string): string {
  return text;
}

function styleOf([open, close]: readonly [number, number]): Style {
  const [start, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  // A style inside may end with the same code, which ends this one too: start it again there.
  return (text) => (text === "" ? "" : start + text.replaceAll(end, end + start) + end);
}
