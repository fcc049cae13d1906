/** A key of the screen, or some that do the same, and what they do. */
interface KeyHelp {
  keys: string;
  does: string;
}

/** The keys that a person needs most, for `/help`. docs/how-to/use-the-screen.md has all of them. */
export const keyHelp: readonly KeyHelp[] = [
  { keys: "Enter", does: "sends the line; Alt-Enter or Ctrl-J begins a new one in it" },
  { keys: "Tab", does: "fills in a command, a name or a path; on an empty line, the next view" },
  { keys: "Shift-Tab", does: "the lead's next permission mode" },
  { keys: "Up, Down", does: "what you have sent before; Ctrl-R searches it" },
  { keys: "Ctrl-X", does: "selects the open question: y yes, n no, r no with a reason, a always" },
  { keys: "Esc", does: "leaves a question; otherwise interrupts the member of the view" },
  { keys: "Ctrl-O", does: "opens what was last shown only in part; q closes it" },
  { keys: "Ctrl-T", does: "shows thoughts whole, or only their length" },
  { keys: "Ctrl-G", does: "opens the line in your editor" },
  { keys: "Ctrl-C", does: "empties the line, or interrupts; twice, it quits" },
  { keys: "Ctrl-D", does: "quits, as do q, exit and /quit" },
];
