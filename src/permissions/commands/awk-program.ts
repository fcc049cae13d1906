/** Ways to run a command, to write or read a file, or to call what is not written here. */
const reaching =
  /system|getline|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|@|(?<!\|)\|(?!\|)|#|\\\n|close|include|load|extension/;

/** True when the program provably only prints what it computes from its input. */
export function isPrintingAwkProgram(program: string): boolean {
  // Within braces `>` may open a file. Before the first one it can only compare.
  const statements = program.includes("{") ? program.slice(program.indexOf("{")) : "";
  return !reaching.test(program) && !statements.includes(">");
}
