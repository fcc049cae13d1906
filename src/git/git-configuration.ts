/** Keys of git's configuration, and their values. */
export type GitConfiguration = readonly (readonly [key: string, value: string])[];

/** What a configuration file could name to be started. No repository can override it. */
export const startsNothing: GitConfiguration = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  // It is given the path of another repository, and prints nothing.
  ["core.alternateRefsCommand", ":"],
  ["core.editor", ":"],
  ["credential.helper", ""],
  ["commit.gpgSign", "false"],
  ["diff.autoRefreshIndex", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["fetch.fsckObjects", "true"],
  ["protocol.allow", "never"],
];

/**
 * Filters, merge drivers and hooks have any name: each that some configuration names is replaced, by nothing or by
 * what git does without it. `keys` are all that are set, separated by zero bytes.
 */
export function withoutPrograms(keys: string, program: string): GitConfiguration {
  const replaced = new Map<string, GitConfiguration>();
  for (const key of keys.split("\0")) {
    const [, kind = "", name] = /^(filter|merge|hook)\.(.*)\.[^.]+$/s.exec(key) ?? [];
    if (name !== undefined) replaced.set(`${kind}.${name}`, replacement(kind, name, program));
  }
  return [...replaced.values()].flat();
}

function replacement(kind: string, name: string, program: string): GitConfiguration {
  if (kind === "hook") return [[`hook.${name}.enabled`, "false"]];
  const quoted = `'${program.replaceAll("'", "'\\''")}'`;
  // An empty driver would take one side for the result.
  if (kind === "merge")
    return [[`merge.${name}.driver`, `${quoted} merge-file --marker-size=%L %A %O %B`]];
  return [
    ...["clean", "smudge", "process"].map((key) => [`filter.${name}.${key}`, ""] as const),
    [`filter.${name}.required`, "false"],
  ];
}

/** The variables by which git takes a configuration. */
export function asVariables(configuration: GitConfiguration): Record<string, string> {
  const pairs = configuration.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(configuration.length) };
}
