/**
 * Environment that keeps a command's git from running what a repository's own configuration
 * names: file monitors, pagers, prompts, and the hook that an index written on the side would call.
 * It suits every command, those a person has approved too: their commit hooks still run.
 *
 * What it cannot hold back (filters, text converters, external diffs) is looked for in the
 * repository before a git command is judged harmless: see `git-configuration.ts`.
 */
export function hardenedGitEnvironment(): Record<string, string> {
  const configuration = [
    ["core.fsmonitor", "false"],
    ["core.pager", "cat"],
    // A diff may rewrite the index with what it learnt, and that calls a hook.
    ["diff.autoRefreshIndex", "false"],
    // Housekeeping in the background would be ended with the command that began it, each time anew.
    ["gc.autoDetach", "false"],
    ["maintenance.autoDetach", "false"],
  ];
  const pairs = configuration.flatMap(([key = "", value = ""], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(configuration.length),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
  };
}
