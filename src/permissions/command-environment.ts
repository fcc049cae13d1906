/**
 * Variables of a person's environment that make the shell, or a program that is judged by its
 * words, do something other than these words say, and that no command of a member needs: they are
 * for somebody at a terminal, or were left by the program that started Troupe, such as a git hook.
 *
 * Variables that people do need stay, and affect only commands that ask anyway: `NODE_OPTIONS`,
 * `GIT_SSH_COMMAND`, `PAGER`, `LD_PRELOAD` and the like.
 */
const changesMeaning: readonly RegExp[] = [
  // Files that a shell runs first, its options, and where it looks for names.
  /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_COMPAT|BASH_XTRACEFD|BASH_LOADABLES_PATH|PS4|PROMPT_COMMAND)$/,
  /^(CDPATH|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|_POSIX2_VERSION)$/,
  // Options of programs.
  /^(GREP_OPTIONS|TAR_OPTIONS|GZIP|RIPGREP_CONFIG_PATH|LESS|LESSOPEN|LESSCLOSE)$/,
  /^(PS_FORMAT|PS_PERSONALITY|CMD_ENV|UNIX95|I_WANT_A_BROKEN_PS)$/,
  // Another repository, other programs of git, files that it writes.
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|EXEC_PATH)$/,
  /^GIT_(EXTERNAL_DIFF|DIFF_OPTS|ATTR_SOURCE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_(KEY|VALUE)_\d+)$/,
  /^GIT_((LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS|TRACE.*|REDIRECT_.*|PAGER_IN_USE)$/,
];

/** The environment of a member's commands, if Troupe was started with `inherited`. */
export function commandEnvironment(
  inherited: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(inherited).filter(
    ([name]) => !changesMeaning.some((pattern) => pattern.test(name)),
  );
  return { ...Object.fromEntries(kept), ...hardenedGit() };
}

/**
 * Keeps a command's git from running programs that a repository's own configuration names: file
 * monitors, pagers, prompts, and the hook that a rewritten index would call. It applies to every
 * command, also approved ones: their commit hooks still run.
 *
 * Other programs (filters, text converters, external diffs) are looked for in the repository before
 * a git command is judged harmless: see `git-configuration.ts`.
 */
function hardenedGit(): Record<string, string> {
  const configuration = [
    ["core.fsmonitor", "false"],
    ["core.pager", "cat"],
    // A diff may rewrite the index, and that calls a hook.
    ["diff.autoRefreshIndex", "false"],
    // Background housekeeping would be ended every time with the command that began it.
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
