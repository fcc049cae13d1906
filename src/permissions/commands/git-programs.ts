import { type KnownArgument, knownValue } from "./argument.ts";
import type { OptionList, ParsedArguments } from "./options.ts";
import type { ReadOnlyProgram } from "./program.ts";

/** Revisions and paths alike: a revision, taken for a path, is in the workspace. */
const operands = "paths" as const;

const diffing = {
  flags: `-b -B -C -M -R -a -p -r -s -t -u -w -z --abbrev --binary --break-rewrites --cached --cc --check
    --color --color-words --compact-summary --cumulative --dirstat --exit-code --find-copies
    --find-copies-harder --find-renames --full-index --function-context --histogram
    --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-space-at-eol
    --ignore-space-change --ignore-submodules --indent-heuristic --merge-base --minimal --name-only
    --name-status --no-color --no-ext-diff --no-indent-heuristic --no-patch --no-prefix --no-renames
    --no-textconv --numstat --patch --patch-with-stat --patience --pickaxe-all --pickaxe-regex
    --quiet --raw --relative --root --shortstat --staged --stat --summary --text --word-diff -W`,
  optional: "-U --unified --color-moved",
  text: `-G -S --diff-algorithm --diff-filter --dst-prefix --inter-hunk-context --src-prefix
    --word-diff-regex -l`,
} satisfies OptionList;

const logging = {
  operands,
  flags: `${diffing.flags} -1 -c -g -i -E -F -P -m --abbrev-commit --all --all-match --ancestry-path
    --basic-regexp --bisect --boundary --branches --cherry --cherry-mark --cherry-pick --children
    --count --date-order --decorate --dense --extended-regexp --first-parent --fixed-strings --follow
    --format --full-diff --full-history --graph --invert-grep --left-only --left-right
    --merge --merges --no-abbrev-commit --no-decorate --no-max-parents --no-merges --no-min-parents
    --no-notes --not --notes --objects --oneline --parents --perl-regexp --pretty --reflog
    --regexp-ignore-case --relative-date --remotes --remove-empty --reverse --right-only
    --simplify-by-decoration --simplify-merges --sparse --tags --topo-order --walk-reflogs`,
  optional: `${diffing.optional} --max-parents --min-parents`,
  text: `${diffing.text} --after --author --before --date --encoding --exclude --glob --grep --max-age
    --max-count --min-age --since --skip --until`,
  hasNumbers: true,
  showsOthers: showsContents,
  problem: formatProblem,
} satisfies ReadOnlyProgram;

const log: ReadOnlyProgram = { ...logging, text: `${logging.text} -L -n --committer` };

/** Options with which a diff shows only the names of files and numbers of lines. */
const summaries =
  `--name-only --name-status --no-patch --numstat --quiet --raw --shortstat --stat --summary
  --dirstat --compact-summary -s`.split(/\s+/);
const patches =
  `-c -m -p -u -U -W -L -G -S --binary --cc --check --color-words --function-context --patch
  --patch-with-stat --unified --word-diff --word-diff-regex`.split(/\s+/);

/** Showing a signature runs another program, which creates files. */
function formatProblem({ values }: ParsedArguments): string | undefined {
  const isFormat = /^--(format|pretty)$/;
  const odd = values.find(
    ([name, value]) => isFormat.test(name) && (value === undefined || /%G|signature/i.test(value)),
  );
  return odd && "a format that may ask for signatures";
}

function showsContents({ given }: ParsedArguments): boolean {
  return patches.some((name) => given.has(name));
}

function showsDifferences(call: ParsedArguments): boolean {
  return showsContents(call) || summaries.every((name) => !call.given.has(name));
}

const listing = {
  flags: `-a -i -l -r -v -vv --all --color --column --ignore-case --list --no-color --no-column
    --omit-empty --remotes --show-current --verbose`,
  text: `--contains --format --merged --no-contains --no-merged --points-at --sort`,
} satisfies OptionList;

/** Without one of these, an operand of `git branch` or `git tag` is the name of a new one. */
const listings = [
  "-l",
  "--list",
  "--contains",
  "--merged",
  "--no-contains",
  "--no-merged",
  "--points-at",
];

function onlyLists(call: ParsedArguments): string | undefined {
  const { given, operands: names } = call;
  const isListing = names.length === 0 || listings.some((name) => given.has(name));
  return isListing ? formatProblem(call) : "a name to create";
}

function only(...names: readonly string[]): (call: ParsedArguments) => string | undefined {
  return ({ operands: [first] }) => {
    const value = knownValue(first) ?? "";
    return names.includes(value) ? undefined : value || "no operand";
  };
}

/** Keys without secrets, in the repository's or the person's configuration. */
const openKey =
  /^(user\.(name|email)|core\.\w+|init\.defaultbranch|remote\.[\w.-]+|branch\.[\w./-]+)$/i;

function configProblem({ given, operands: names }: ParsedArguments): string | undefined {
  const isLocal = given.has("--local") || given.has("--worktree");
  const reads = ["--get", "--get-all"].some((name) => given.has(name));
  const lists = ["-l", "--list", "--get-regexp"].some((name) => given.has(name));
  if (lists) return isLocal ? undefined : "the person's own configuration to show";
  const key = knownValue(names[0]) ?? "";
  // One word without a dot is not a key but a subcommand, such as `edit`.
  if (names.length !== 1 || !key.includes(".")) return "a value to set";
  const isOpen = isLocal || openKey.test(key);
  return isOpen || (reads && isLocal) ? undefined : "the person's own configuration to show";
}

/** What git does without changing anything, with the options that are known to be harmless. */
export const readOnlyGit: Readonly<Record<string, ReadOnlyProgram>> = {
  status: {
    operands,
    optional: "-u",
    flags: `-b -s -v -z --ahead-behind --branch --column --find-renames --ignored
      --ignore-submodules --long --no-ahead-behind --no-renames --porcelain --renames --short
      --show-stash --untracked-files --verbose`,
    showsOthers: ({ given }) => given.has("-v") || given.has("--verbose"),
  },
  log,
  // It shows the content of a file in a commit, whatever the diff options are.
  show: { ...log, showsOthers: () => true },
  "rev-list": { ...logging, text: `${logging.text} -n --committer` },
  reflog: {
    ...log,
    problem: (call) =>
      /^(expire|delete|drop|write)$/.test(knownValue(call.operands[0]) ?? "")
        ? "a change to the reflog"
        : formatProblem(call),
  },
  shortlog: { ...logging, flags: `${logging.flags} -e -n -s --email --summary --numbered` },
  diff: { operands, ...diffing, hasNumbers: true, showsOthers: showsDifferences },
  "diff-tree": { operands, ...diffing, showsOthers: showsContents },
  blame: {
    operands,
    flags:
      "-b -c -C -e -f -l -M -n -p -s -t -w --color-lines --line-porcelain --porcelain --root --show-email --show-name --show-number",
    optional: "--abbrev",
    text: "-L --date --ignore-rev --since",
  },
  grep: {
    operands,
    flags: `-a -c -E -F -G -h -H -i -I -l -L -n -o -p -P -q -v -w -W -z --all-match --and --break
      --cached --color --column --count --exclude-standard --extended-regexp --files-with-matches
      --fixed-strings --full-name --heading --ignore-case --invert-match --line-number
      --name-only --no-index --not --null --only-matching --or --perl-regexp --quiet --text
      --untracked --word-regexp`,
    text: "-A -B -C -e -m --after-context --before-context --context --max-count --max-depth --threads",
    leading: "-e",
    hasNumbers: true,
    // A count reveals the content of a file, too: it can be asked letter by letter.
    showsOthers: () => true,
  },
  "ls-files": {
    operands,
    flags: `-c -d -i -k -m -o -s -t -u -v -z --abbrev --cached --deleted --directory --eol
      --error-unmatch --exclude-standard --full-name --ignored --killed --modified
      --no-empty-directory --others --stage --unmerged`,
    text: "-x --exclude --format",
  },
  "ls-tree": {
    operands,
    flags:
      "-d -l -r -t -z --abbrev --full-name --full-tree --long --name-only --name-status --object-only",
    text: "--format",
  },
  branch: { operands: "text", ...listing, problem: onlyLists },
  tag: {
    operands: "text",
    ...listing,
    optional: "-n",
    problem: onlyLists,
  },
  "rev-parse": {
    operands,
    flags: `-q --abbrev-ref --absolute-git-dir --all --branches --git-common-dir --git-dir --git-path
      --is-bare-repository --is-inside-git-dir --is-inside-work-tree --is-shallow-repository --quiet
      --remotes --short --show-cdup --show-prefix --show-superproject-working-tree --show-toplevel
      --symbolic-full-name --tags --verify`,
  },
  describe: {
    operands,
    // Not --dirty and --broken: they write the index, which calls a hook.
    flags: "--all --always --contains --exact-match --first-parent --long --tags",
    optional: "--abbrev",
    text: "--candidates --exclude --match",
  },
  "merge-base": { operands, flags: "-a --all --fork-point --independent --is-ancestor --octopus" },
  "for-each-ref": {
    operands,
    flags: "--ignore-case --omit-empty",
    text: "--contains --count --exclude --format --merged --no-contains --no-merged --points-at --sort",
    problem: formatProblem,
  },
  "cat-file": {
    operands,
    flags: "-e -p -s -t --allow-unknown-type",
    showsOthers: ({ given }) => ["-e", "-s", "-t"].every((name) => !given.has(name)),
  },
  apply: {
    operands,
    flags: "-R -v --check --numstat --reverse --stat --summary --verbose",
    problem: ({ given }) =>
      ["--check", "--numstat", "--stat", "--summary"].some((name) => given.has(name))
        ? undefined
        : "a patch to apply",
  },
  "check-ignore": { operands, flags: "-n -q -v -z --no-index --non-matching --quiet --verbose" },
  config: {
    operands: "text",
    flags: `-l -z --bool --get --get-all --get-regexp --int --list --local --name-only --null
      --show-origin --show-scope --worktree`,
    // What follows the first operand is a value, whatever it looks like.
    isOptionsFirst: true,
    problem: configProblem,
  },
  remote: {
    operands: "text",
    flags: "-v --verbose --all --push",
    problem: (call) => (call.operands.length === 0 ? undefined : only("get-url")(call)),
  },
  worktree: { operands: "text", flags: "-v -z --porcelain --verbose", problem: only("list") },
  stash: {
    ...log,
    problem: (call) => only("list", "show")(call) ?? formatProblem(call),
    showsOthers: showsDifferences,
  },
};

/**
 * Subcommands that change the repository and its files, with the arguments that a rule may cover.
 * Those of `reads` leave the files unchanged. Other subcommands, aliases among them, ask: their
 * words do not show what a patch changes.
 */
export const changingGit: Readonly<
  Record<string, { operands: "reads" | "writes"; denied?: string }>
> = {
  add: { operands: "reads", denied: "-i -p -e --interactive --patch --edit" },
  commit: { operands: "reads", denied: "-p -e --patch --edit --interactive" },
  push: { operands: "reads", denied: "--receive-pack --exec" },
  fetch: { operands: "reads", denied: "--upload-pack" },
  tag: { operands: "reads" },
  branch: { operands: "reads", denied: "--edit-description" },
  remote: { operands: "reads" },
  notes: { operands: "reads" },
  reset: { operands: "reads", denied: "-p --patch" },
  gc: { operands: "reads" },
  pull: { operands: "writes", denied: "-s --strategy --upload-pack" },
  merge: { operands: "writes", denied: "-s --strategy" },
  rebase: { operands: "writes", denied: "-x -i -s --exec --interactive --strategy" },
  "cherry-pick": { operands: "writes", denied: "--strategy" },
  revert: { operands: "writes", denied: "--strategy" },
  checkout: { operands: "writes", denied: "-p --patch" },
  switch: { operands: "writes" },
  restore: { operands: "writes", denied: "-p --patch" },
  stash: { operands: "writes", denied: "-a -p --all --patch" },
  mv: { operands: "writes" },
  rm: { operands: "writes" },
  worktree: { operands: "writes" },
  clean: { operands: "writes", denied: "-e -x -X -i --exclude" },
  init: { operands: "writes", denied: "--template --separate-git-dir" },
  clone: {
    operands: "writes",
    denied: "-c -u --config --template --upload-pack --recurse-submodules --recursive",
  },
};

/** Splits `git -C dir --no-pager status …` at its subcommand. */
export function readGit(words: readonly KnownArgument[]):
  | {
      readonly directory?: string;
      readonly subcommand: string;
      readonly rest: readonly KnownArgument[];
    }
  | { readonly problem: string } {
  const queue = [...words];
  let directory: string | undefined;
  for (let word = queue.shift(); word; word = queue.shift()) {
    const value = knownValue(word);
    if (value === undefined) return { problem: "an argument that is not known" };
    if (value === "-C" && directory === undefined) {
      directory = knownValue(queue.shift());
      if (!directory || /^[-~]/.test(directory)) return { problem: value };
    } else if (/^(--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/.test(value)) {
    } else if (value.startsWith("-")) {
      return { problem: value };
    } else {
      return { ...(directory === undefined ? {} : { directory }), subcommand: value, rest: queue };
    }
  }
  return { problem: "no subcommand" };
}
