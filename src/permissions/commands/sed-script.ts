const address = new RegExp(
  String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\.|${bracket("/")})*\/I?)`,
  "y",
);
const separators = /[\s;]*/y;
const blanks = /[ \t]*/y;
/** Commands that print, delete or move on, and touch no file. `q` may have an exit code. */
const plainCommand = /[pdnNPDhHgGx=!]|[qQ] ?\d*/y;
/**
 * The flags `w` and `e` write a file and run a command. A delimiter within brackets ends the
 * expression for some seds and not for others, so there must be none.
 */
const substitution = new RegExp(
  String.raw`[sy]([^\w\s\\[\]])(?:(?!\1)[^\\\n[]|${bracket("\\1")}|\\[\s\S])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1[gpiIm\d]*(?=[\s;}]|$)`,
  "y",
);

/**
 * A bracket that ends where it seems to. One that begins with `]` or `^]` ends later, and so may one
 * with another bracket in it, unless that is a class such as `[:space:]`.
 */
function bracket(delimiter: string): string {
  return String.raw`\[(?!\^?\])(?:\[(?!${delimiter}):[a-z]+:\]|(?!${delimiter})[^[\]\\\n])+\]`;
}

/** True when the script provably does nothing but to print what it was given, changed or not. */
export function isPrintingSedScript(script: string): boolean {
  let position = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = position;
    const found = pattern.exec(script);
    if (found) position += found[0].length;
    return found !== null;
  };
  while (position < script.length) {
    skip(separators);
    if (position >= script.length) return true;
    if (skip(address)) {
      skip(blanks);
      if (script[position] === ",") {
        position++;
        skip(blanks);
        if (!skip(/\+/y) && script[position] === "~") position++;
        if (!skip(address)) return false;
      }
      skip(blanks);
    }
    while (script[position] === "!") {
      position++;
      skip(blanks);
    }
    if (script[position] === "{" || script[position] === "}") {
      position++;
      continue;
    }
    if (!skip(substitution)) {
      if (!skip(plainCommand)) return false;
      skip(blanks);
      if (position < script.length && !/[\s;}]/.test(script[position] ?? "")) return false;
    }
  }
  return true;
}
