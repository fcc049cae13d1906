/** The command of a key. No letter answers a question: it could be meant for a field. */
export type KeyCommand =
  | { type: "view"; index: 0 | 1 | 2 | 3 }
  | { type: "member"; step: 1 | -1 }
  | { type: "question" }
  | { type: "write" }
  | { type: "search" }
  | { type: "theme" }
  | { type: "help" }
  | { type: "escape" };

export interface PageKeyPress {
  key: string;
  /** Ctrl, Alt or Meta: the browser's own. */
  hasModifier: boolean;
  /** In a field, where a letter is a letter. */
  isTyping: boolean;
}

export function keyCommand({ key, hasModifier, isTyping }: PageKeyPress): KeyCommand | null {
  if (hasModifier) return null;
  if (key === "Escape") return { type: "escape" };
  if (isTyping) return null;
  return commands.get(key) ?? null;
}

const commands: ReadonlyMap<string, KeyCommand> = new Map<string, KeyCommand>([
  ["1", { type: "view", index: 0 }],
  ["2", { type: "view", index: 1 }],
  ["3", { type: "view", index: 2 }],
  ["4", { type: "view", index: 3 }],
  ["j", { type: "member", step: 1 }],
  ["k", { type: "member", step: -1 }],
  ["q", { type: "question" }],
  ["w", { type: "write" }],
  ["/", { type: "search" }],
  ["t", { type: "theme" }],
  ["?", { type: "help" }],
]);

export const answerKeys = ["allow-once", "allow-always", "deny"] as const;
export type AnswerKey = (typeof answerKeys)[number];

/** Every key with what it does, for the help. */
export const keyHelp: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Anywhere",
    [
      ["1 2 3 4", "Room, messages, tasks, cost"],
      ["j k", "Next and previous member"],
      ["Enter", "Open the focused item"],
      ["q", "To the first question"],
      ["w", "Write to a member"],
      ["/", "Search or filter"],
      ["t", "Light, dark, or as the system"],
      ["Esc", "Close, or leave a field"],
      ["?", "This help"],
    ],
  ],
  [
    "On a question",
    [
      ["Tab", "To the reason, then to each answer"],
      ["Enter", "On an answer: give it"],
    ],
  ],
  [
    "While writing",
    [
      ["Ctrl Enter", "Send (⌘ Enter on a Mac)"],
      ["@name", "At the beginning: to whom; @all for everybody"],
    ],
  ],
  [
    "In messages and transcripts",
    [
      ["↑ ↓", "From one to the next"],
      ["Enter", "Open or fold"],
      ["e", "Unfold or fold everything in a transcript"],
      ["n N", "Next and previous match of a search"],
    ],
  ],
];
