/**
 * Variables of a person's environment by which the shell, or a program that is judged by its words,
 * does something else than these words say, and which no command of a member needs: they are made for
 * somebody at a terminal, or were left by the program that started Troupe, such as a hook of git's.
 *
 * Those that people do need stay, and lead only what is asked anyway: `NODE_OPTIONS`, `GIT_SSH_COMMAND`,
 * `PAGER`, `LD_PRELOAD` and the like.
 */
const changesMeaning: readonly RegExp[] = [
  // Files that a shell runs first, its options, and where it looks for names.
  /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_COMPAT|BASH_XTRACEFD|BASH_LOADABLES_PATH|PS4|PROMPT_COMMAND)$/,
  /^(CDPATH|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|_POSIX2_VERSION)$/,
  // Options of programs.
  /^(GREP_OPTIONS|TAR_OPTIONS|GZIP|RIPGREP_CONFIG_PATH|LESS|LESSOPEN|LESSCLOSE)$/,
  /^(PS_FORMAT|PS_PERSONALITY|CMD_ENV|UNIX95|I_WANT_A_BROKEN_PS)$/,
  // Another repository, other programs of git's, files that it writes.
  /^GIT_(DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|EXEC_PATH)$/,
  /^GIT_(EXTERNAL_DIFF|DIFF_OPTS|ATTR_SOURCE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_(KEY|VALUE)_\d+)$/,
  /^GIT_((LITERAL|GLOB|NOGLOB|ICASE)_PATHSPECS|TRACE.*|REDIRECT_.*|PAGER_IN_USE)$/,
];

/** What a member's commands are started with, where Troupe was started with `inherited`. */
export function commandEnvironment(
  inherited: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(inherited).filter(
    ([name]) => !changesMeaning.some((pattern) => pattern.test(name)),
  );
  return { ...Object.fromEntries(kept), ...hardenedGit() };
}

/**
 * Keeps a command's git from running what a repository's own configuration names: file monitors,
 * pagers, prompts, and the hook that an index written on the side would call. It suits every command,
 * those a person has approved too: their commit hooks still run.
 *
 * What it cannot hold back (filters, text converters, external diffs) is looked for in the
 * repository before a git command is judged harmless: see `git-configuration.ts`.
 */
function hardenedGit(): Record<string, string> {
  const configuration = [
    ["core.fsmonitor", "false"],
    ["core.pager", "cat"],
    // A diff may rewrite the index with what it learnt, and that calls a hook.
    ["diff.autoRefreshIndex", "false"],
    // Housekeeping in the background would be ended with the command that began it, every time.
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
