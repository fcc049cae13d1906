/** The command of a key. No letter answers a question, since it could be meant for a text field. */
export type KeyCommand =
  | { type: "view"; index: 0 | 1 | 2 | 3 | 4 | 5 }
  | { type: "member"; step: 1 | -1 }
  | { type: "question" }
  | { type: "write" }
  | { type: "search" }
  | { type: "theme" }
  | { type: "help" }
  | { type: "escape" };

export interface PageKeyPress {
  key: string;
  /** True with Ctrl, Alt or Meta: such keys belong to the browser. */
  hasModifier: boolean;
  /** True in a text field, where letters are input. */
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
  ["5", { type: "view", index: 4 }],
  ["6", { type: "view", index: 5 }],
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

/** All keys with their effect, for the help. */
export const keyHelp: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Anywhere",
    [
      ["1 2 3 4 5 6", "Overview, messages, tasks, cost, permissions, changes"],
      ["j k", "Next and previous member"],
      ["Enter", "Open the focused item"],
      ["q", "Go to the first question"],
      ["w", "Write to a member"],
      ["/", "Search or filter"],
      ["t", "Light, dark or system theme"],
      ["Esc", "Close, or leave a field"],
      ["?", "This help"],
    ],
  ],
  [
    "On a question",
    [
      ["Tab", "Go to the reason, then to each answer"],
      ["Enter", "On an answer: send it"],
    ],
  ],
  [
    "While writing",
    [
      ["Ctrl Enter", "Send (⌘ Enter on a Mac)"],
      ["@name", "At the beginning: the recipient; @all for all members"],
    ],
  ],
  [
    "In messages and transcripts",
    [
      ["↑ ↓", "Next and previous item"],
      ["Enter", "Open or fold"],
      ["e", "Unfold or fold everything in a transcript"],
      ["n N", "Next and previous match of a search"],
    ],
  ],
];
