import type { MemberName } from "../../protocol/ids.ts";

type Style = (text: string) => string;

type StyleMaker = (open: number, close: number) => Style;

const colorsBy = (style: StyleMaker) => ({
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  blue: style(34, 39),
  magenta: style(35, 39),
  cyan: style(36, 39),
  white: style(37, 39),
  gray: style(90, 39),
});

const weightsBy = (style: StyleMaker) => ({
  bold: style(1, 22),
  dim: style(2, 22),
  italic: style(3, 23),
  underline: style(4, 24),
  inverse: style(7, 27),
  strike: style(9, 29),
});

/** The text styles. They nest: no style ends the one around it. */
export interface Paint
  extends Readonly<ReturnType<typeof colorsBy>>,
    Readonly<ReturnType<typeof weightsBy>> {
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
  /** Whether thoughts are shown whole (default: only how long they are). */
  showsThoughts?: boolean;
  /** Whether everything is shown whole, however long it is. */
  isWhole?: boolean;
  /** The key that opens what is shown only in part, if there is one. */
  opener?: string;
}

export function paintFor(hasColors: boolean): Paint {
  const style = hasColors ? styleOf : () => asItIs;
  const colors = colorsBy(style);
  const byName = new Map<string | undefined, Style>(Object.entries(colors));
  return {
    ...colors,
    ...weightsBy(style),
    hasColors,
    named: (color, text) => (byName.get(color) ?? asItIs)(text),
  };
}

function asItIs(text: string): string {
  return text;
}

function styleOf(open: number, close: number): Style {
  const [start, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  // A style inside may end with the same code, which ends this one too: start it again there.
  return (text) => (text === "" ? "" : start + text.replaceAll(end, end + start) + end);
}
