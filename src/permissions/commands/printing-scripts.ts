/** One command of a script, with what separates it from the one before. */
const sedCommand = new RegExp(
  String.raw`[\s;]*(?:ADDRESS(?:[ \t]*,[ \t]*[+~]?ADDRESS)?[ \t]*)?(?:![ \t]*)*(?:[{}]|(?:SUBSTITUTION|PRINTING[ \t]*)(?=[\s;}]|$))`
    .replaceAll("ADDRESS", String.raw`(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\.|${bracket("/")})*\/I?)`)
    // Commands that print, delete or move on, and touch no file. `q` may have an exit code.
    .replace("PRINTING", String.raw`(?:[pdnNPDhHgGx=]|[qQ]\d*)`)
    // The flags `w` and `e` write a file and run a command. A delimiter within brackets ends the
    // expression for some seds and not for others, so there must be none.
    .replace(
      "SUBSTITUTION",
      String.raw`[sy]([^\w\s\\[\]])(?:(?!\1)[^\\\n[]|${bracket("\\1")}|\\[\s\S])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1[gpiIm\d]*`,
    ),
  "y",
);

/**
 * A bracket that ends where it seems to. One that begins with `]` or `^]` ends later, and so may one
 * with another bracket in it, unless that is a class such as `[:space:]`.
 */
function bracket(delimiter: string): string {
  return String.raw`\[(?!\^?\])(?:\[(?!${delimiter}):[a-z]+:\]|(?!${delimiter})[^[\]\\\n])+\]`;
}

/** True if the script provably only prints its input, changed or not. */
export function isPrintingSedScript(script: string): boolean {
  let position = 0;
  while (!/^[\s;]*$/.test(script.slice(position))) {
    sedCommand.lastIndex = position;
    if (!sedCommand.test(script)) return false;
    position = sedCommand.lastIndex;
  }
  return true;
}

/**
 * Ways to run a command, to write or read a file, or to call a function that is defined elsewhere.
 */
const reaching =
  /system|getline|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|@|(?<!\|)\|(?!\|)|#|\\\n|close|include|load|extension/;

/** True when the program provably only prints what it computes from its input. */
export function isPrintingAwkProgram(program: string): boolean {
  // Within braces `>` may open a file. Before the first one it can only compare.
  const statements = program.includes("{") ? program.slice(program.indexOf("{")) : "";
  return !reaching.test(program) && !statements.includes(">");
}
