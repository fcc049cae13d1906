/**
 * What is known about a built-in tool by its name alone. Rules, the screen, the dashboard and a
 * run's record have names and inputs, but no `Tool`.
 */
export interface ToolTraits {
  /** A permission rule for one tool of a scope covers all tools of it. Default: this tool alone. */
  readonly ruleScope?: RuleScope;
  /**
   * The argument that says what a call does, whatever else a model adds (default: see
   * `summarizeCall`).
   */
  readonly mainField?: string;
  /** The argument that says where, shown after the main field. */
  readonly placeField?: string;
  /** A call is shown as a change of the file at `path`; these arguments have its text. */
  readonly change?: { readonly before?: string; readonly after: string };
  /** A call without further arguments is shown as its main field alone, without the tool's name. */
  readonly isShownBare?: true;
  /** The mail it sends is shown, so its calls are not. */
  readonly isShownAsMail?: true;
  /** The argument that names the cron which a call cancels. */
  readonly cancelledCron?: string;
  /** A run that calls only such tools counts as chatter. */
  readonly isChatter?: true;
}

/** `commands` run the argument `command`; `hosts` are reached over the network. */
export type RuleScope = "commands" | "reading" | "writing" | "hosts";

const table: Readonly<Record<string, ToolTraits>> = {
  bash: { ruleScope: "commands", mainField: "command", isShownBare: true },
  background_run: { ruleScope: "commands", mainField: "command" },
  read_file: { ruleScope: "reading", mainField: "path" },
  glob: { ruleScope: "reading", mainField: "pattern", placeField: "path" },
  grep: { ruleScope: "reading", mainField: "pattern", placeField: "path" },
  write_file: { ruleScope: "writing", mainField: "path", change: { after: "content" } },
  edit_file: {
    ruleScope: "writing",
    mainField: "path",
    change: { before: "old_text", after: "new_text" },
  },
  web_fetch: { ruleScope: "hosts", mainField: "url" },
  send_message: { isShownAsMail: true, isChatter: true },
  broadcast: { isShownAsMail: true },
  cancel_cron: { cancelledCron: "id" },
};

/** The names of all tools that have traits. */
export const toolsWithTraits = Object.keys(table);

/** A tool that is not in the table, such as one of the library's user, has no traits. */
export function traitsOf(tool: string): ToolTraits {
  return (Object.hasOwn(table, tool) ? table[tool] : undefined) ?? {};
}
