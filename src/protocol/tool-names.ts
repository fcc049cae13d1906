/**
 * The names that other programs have for tools. Files that are written for them (role files, skills,
 * hooks) name their tools; a name means those tools of Troupe that do the same work.
 */

/** Claude Code's names, and those of Codex and opencode that differ, each with Troupe's tools for that work. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  Read: ["read_file"],
  Write: ["write_file"],
  Edit: ["edit_file"],
  MultiEdit: ["edit_file"],
  Bash: ["bash", "background_run", "check_background"],
  BashOutput: ["check_background"],
  Glob: ["glob"],
  LS: ["glob"],
  Grep: ["grep"],
  Skill: ["skill"],
  WebFetch: ["web_fetch"],
  shell: ["bash", "background_run", "check_background"],
  apply_patch: ["edit_file", "write_file"],
  view_image: ["read_file"],
  read: ["read_file"],
  write: ["write_file"],
  edit: ["edit_file", "write_file"],
  patch: ["edit_file", "write_file"],
  list: ["glob"],
  SendMessage: ["send_message"],
  TaskCreate: ["create_task"],
  TaskGet: ["get_task"],
  TaskList: ["list_tasks"],
  TaskUpdate: ["update_task"],
};

/** Tools of those programs for which Troupe has none. */
const lacking: ReadonlySet<string> = new Set([
  ...["Agent", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree"],
  ...["KillBash", "KillShell", "LSP", "Monitor", "NotebookEdit", "NotebookRead", "SlashCommand"],
  ...["Task", "TaskOutput", "TaskStop", "TodoRead", "TodoWrite", "ToolSearch"],
  ...["ListMcpResourcesTool", "ReadMcpResourceTool", "WebSearch"],
  ...["update_plan", "web_search"],
  ...["codesearch", "lsp", "question", "task", "todoread", "todowrite", "webfetch", "websearch"],
]);

/** All names that mean a tool of Troupe. */
export const foreignNames: readonly string[] = Object.keys(foreign);

/** Troupe's names of the tools that `name` means for another program; empty if it is none of theirs. */
export function ownNamesOf(name: string): readonly string[] {
  return (Object.hasOwn(foreign, name) ? foreign[name] : undefined) ?? [];
}

/** The names that other programs have for one of Troupe's tools. */
export function foreignNamesOf(tool: string): readonly string[] {
  return foreignNames.filter((name) => foreign[name]?.includes(tool));
}

/** True for a tool of another program that Troupe has nothing for. */
export function isLackingTool(name: string): boolean {
  return lacking.has(name);
}
