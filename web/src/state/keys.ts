/** What a key asks of the page. Keys that belong to one question are read by that question. */
export type KeyCommand =
  | { type: "view"; index: 0 | 1 | 2 | 3 }
  | { type: "member"; step: 1 | -1 }
  | { type: "question" }
  | { type: "write" }
  | { type: "search" }
  | { type: "theme" }
  | { type: "help" }
  | { type: "escape" };

export interface KeyPress {
  key: string;
  /** Ctrl, Alt or Meta: the browser's own. */
  hasModifier: boolean;
  /** In a field, where a letter is a letter. */
  isTyping: boolean;
}

export function keyCommand({ key, hasModifier, isTyping }: KeyPress): KeyCommand | null {
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

/** The answer that a key gives to the question that has the focus. */
export function answerKey({ key, hasModifier, isTyping }: KeyPress): AnswerKey | null {
  if (hasModifier || isTyping) return null;
  switch (key) {
    case "a":
      return "allow-once";
    case "A":
      return "allow-always";
    case "d":
      return "deny";
    default:
      return null;
  }
}

/** Every key with what it does, for the help. */
export const keyHelp: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Anywhere",
    [
      ["1 2 3 4", "Room, messages, tasks, cost"],
      ["j k", "Next and previous member"],
      ["Enter", "Open what has the focus"],
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
      ["a", "Allow once, or approve"],
      ["A", "Allow always, where that is offered"],
      ["d", "Deny or reject, with the reason that is written there"],
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
