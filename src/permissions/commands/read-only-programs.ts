import { type KnownArgument, knownValue } from "./argument.ts";
import { isPrintingAwkProgram, isPrintingSedScript } from "./printing-scripts.ts";
import { anything, files, nothing, type ReadOnlyProgram, texts } from "./program.ts";
import { shellPrograms } from "./shell-programs.ts";

const hashing: ReadOnlyProgram = {
  ...files,
  flags: "-b -t -z --binary --tag --text",
  text: "-a --algorithm",
};

/** `@file` stands for the arguments in that file. */
const noArgumentFile = /^[^@]/;

/**
 * Programs that only read, with the options that are known to be harmless. An option that is not
 * listed asks, so a list may be incomplete but never unsafe.
 */
export const readOnlyPrograms: Readonly<Record<string, ReadOnlyProgram>> = {
  ls: {
    ...files,
    flags: `-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u
      -U -v -x -X -Z -1 --all --almost-all --color --human-readable --reverse --recursive --directory
      --group-directories-first --full-time --inode --size --classify --si --numeric-uid-gid --time`,
    text: "--ignore --hide --sort --time-style --width --format --indicator-style",
    // Together they list what is behind the links of every folder.
    problem: ({ given }) =>
      given.has("-L") && (given.has("-R") || given.has("--recursive")) ? "-L and -R" : undefined,
  },
  cat: {
    ...files,
    hasOnlyHarmlessOptions: true,
    flags: `-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends
      --show-tabs --squeeze-blank --show-nonprinting`,
  },
  head: {
    ...files,
    hasOnlyHarmlessOptions: true,
    flags: "-q -v -z --quiet --verbose",
    text: "-n -c --lines --bytes",
    hasNumbers: true,
  },
  tail: {
    ...files,
    flags: "-f -F -q -v -z -r --follow --quiet --verbose --retry",
    text: "-n -c --lines --bytes",
    hasNumbers: true,
  },
  wc: { ...files, flags: "-c -m -l -L -w --bytes --chars --lines --words --max-line-length" },
  nl: { ...files, flags: "-p", text: "-b -d -f -h -i -l -n -s -v -w" },
  tac: { ...files, flags: "-b -r", text: "-s" },
  rev: files,
  cut: {
    ...files,
    flags: "-n -s -z --complement --only-delimited",
    text: "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter",
  },
  paste: { ...files, flags: "-s -z", text: "-d --delimiters" },
  join: { ...files, flags: "-i", text: "-1 -2 -a -e -j -o -t -v" },
  column: { ...files, flags: "-t -x -e -J", text: "-s -c -o -N -R -H -l" },
  fold: { ...files, flags: "-b -s", text: "-w" },
  fmt: { ...files, flags: "-s -u", text: "-w -p -g" },
  expand: { ...files, flags: "-i", text: "-t" },
  tr: { ...texts, flags: "-c -C -d -s -t --complement --delete --squeeze-repeats" },
  grep: {
    ...files,
    flags: `-a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -R -s -T -U -v -w -x -y -z -Z
      --basic-regexp --binary --byte-offset --color --colour --count --extended-regexp
      --files-with-matches --files-without-match --fixed-strings --ignore-case --initial-tab
      --invert-match --line-buffered --line-number --line-regexp --no-filename --no-messages --null
      --null-data --only-matching --perl-regexp --quiet --recursive --silent --text --with-filename
      --word-regexp`,
    text: `-A -B -C -d -D -e -m --after-context --before-context --binary-files --context --devices
      --directories --exclude --exclude-dir --include --label --max-count --regexp`,
    paths: "-f --file --exclude-from",
    hasNumbers: true,
    leading: "-e --regexp -f --file",
    folders: ({ given }) => {
      if (given.has("-R")) return "linked-tree";
      const isTree = ["-r", "--recursive", "-d", "--directories"].some((name) => given.has(name));
      return isTree ? "tree" : undefined;
    },
  },
  rg: {
    ...files,
    flags: `-a -b -c -F -h -H -i -I -l -n -N -o -p -P -q -s -S -u -U -v -w -x -. --binary
      --byte-offset --case-sensitive --column --count --count-matches --crlf --debug --files
      --files-with-matches --files-without-match --fixed-strings --heading --hidden --ignore-case
      --include-zero --invert-match --json --line-buffered --line-number --line-regexp --multiline
      --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs
      --no-line-number --no-messages --null --one-file-system --only-matching --passthru --pcre2
      --pretty --quiet --smart-case --stats --text --trim --type-list --unrestricted --vimgrep
      --with-filename --word-regexp`,
    text: `-A -B -C -d -E -e -g -j -m -M -r -t -T --after-context --before-context --color --colors
      --context --encoding --engine --glob --iglob --max-columns --max-count --max-depth
      --max-filesize --path-separator --regexp --replace --sort --sortr --threads --type --type-not`,
    paths: "-f --file --ignore-file",
    hasNumbers: true,
    leading: "-e --regexp -f --file --files --type-list",
    folders: () => "tree",
  },
  sed: {
    ...files,
    flags:
      "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered --null-data",
    scripts: "-e --expression",
    leading: "-e --expression",
    isHarmlessScript: isPrintingSedScript,
  },
  awk: { ...files, text: "-F -v", leading: "", isHarmlessScript: isPrintingAwkProgram },
  jq: {
    ...files,
    flags: `-a -c -C -e -j -M -n -r -R -s -S --ascii-output --color-output
      --compact-output --exit-status --join-output --monochrome-output --null-input --raw-input
      --raw-output --slurp --sort-keys --tab`,
    text: "--indent",
    pairs: "--arg --argjson",
    leading: "",
    // A module is read from wherever the program says, and the environment holds secrets.
    isHarmlessScript: (program) =>
      !/\b(import|include|modulemeta|env|input_filename)\b|\$ENV|\$__prog/.test(program),
  },
  sort: {
    ...files,
    flags: `-b -c -C -d -f -g -h -i -m -M -n -R -r -s -u -V -z --check --dictionary-order
      --general-numeric-sort --human-numeric-sort --ignore-case --merge --month-sort --numeric-sort
      --random-sort --reverse --stable --unique --version-sort --zero-terminated`,
    text: "-k -t -S --key --field-separator --buffer-size --parallel --sort",
  },
  uniq: {
    ...files,
    flags: "-c -d -D -i -u -z --count --repeated --unique --ignore-case",
    text: "-f -s -w --skip-fields --skip-chars --check-chars",
    problem: ({ operands }) => (operands.length > 1 ? "a file to write" : undefined),
  },
  comm: { ...files, flags: "-1 -2 -3 -z --check-order --nocheck-order --total" },
  cmp: { ...files, flags: "-b -l -s --quiet --silent --verbose", text: "-i -n --bytes" },
  diff: {
    ...files,
    flags: `-a -b -B -c -d -e -E -i -l -N -p -q -r -s -t -T -u -w -y -Z --brief --color
      --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --minimal --new-file
      --no-dereference --recursive --report-identical-files --side-by-side --suppress-common-lines
      --text --unified`,
    optional: "--context",
    text: "-C -I -L -U -W -x --exclude --ignore-matching-lines --label --width",
    hasNumbers: true,
    // It follows the links in a folder, wherever they lead, and would show what it finds there.
    folders: ({ given }) => {
      const isShort = ["-q", "--brief", "--no-dereference"].some((name) => given.has(name));
      return isShort ? "tree" : "never";
    },
  },
  tree: {
    ...files,
    flags: `-a -A -C -d -D -f -F -g -h -i -J -n -N -p -q -Q -r -s -S -t -u -U -v -x -X --dirsfirst --du
      --gitignore --noreport --prune`,
    text: "-I -L -P",
    hasValuesApart: true,
  },
  file: {
    ...files,
    flags: "-b -i -k -L -h -N -r -0 --brief --mime --mime-type --mime-encoding",
  },
  stat: {
    ...files,
    hasOnlyHarmlessOptions: true,
    flags: "-f -L -t -x --dereference --file-system --terse",
    text: "-c --format --printf",
  },
  du: {
    ...files,
    flags:
      "-0 -a -b -c -h -k -l -m -s -S -x --all --apparent-size --bytes --human-readable --si --summarize --total",
    text: "-B -d -t --block-size --exclude --max-depth --threshold",
  },
  df: { ...files, flags: "-a -h -H -i -k -l -m -P -T --human-readable --total", text: "-B -t -x" },
  md5sum: hashing,
  sha1sum: hashing,
  sha256sum: hashing,
  sha512sum: hashing,
  shasum: hashing,
  cksum: hashing,
  base64: { ...files, flags: "-d -D -i --decode --ignore-garbage", text: "-w --wrap" },
  xxd: {
    ...files,
    flags: "-a -b -C -e -i -p -ps -u",
    text: "-c -g -l -o -s",
    problem: ({ operands }) => (operands.length > 1 ? "a file to write" : undefined),
  },
  od: {
    ...files,
    flags: "-a -b -c -d -f -i -l -o -s -v -x",
    optional: "-w",
    text: "-A -j -N -S -t",
  },
  hexdump: { ...files, flags: "-b -c -C -d -o -v -x", text: "-e -n -s" },
  strings: {
    ...files,
    flags: "-a -f -o",
    text: "-n -t -e",
    hasNumbers: true,
    eachOperand: noArgumentFile,
  },
  nm: {
    ...files,
    flags: "-a -A -C -D -g -n -o -p -P -r -S -u -v --demangle --defined-only --undefined-only",
    eachOperand: noArgumentFile,
  },
  objdump: {
    ...files,
    flags:
      "-a -C -d -D -f -h -p -r -R -s -t -T -x --disassemble --file-headers --section-headers --syms",
    text: "-j -M --section",
    eachOperand: noArgumentFile,
  },
  basename: anything,
  dirname: anything,
  realpath: { ...files, flags: "-e -m -L -P -q -s -z", paths: "--relative-to --relative-base" },
  readlink: { ...files, flags: "-f -e -m -n -q -v -z" },
  pwd: { ...nothing, flags: "-L -P" },
  date: {
    ...texts,
    flags: "-u -R --utc --universal --rfc-3339 --rfc-email",
    optional: "-I --iso-8601",
    text: "-d --date",
    // Another operand would set the clock.
    eachOperand: /^\+/,
  },
  ...shellPrograms,
};

/**
 * Programs with the arguments that make them print their version and exit; `python -v` does not
 * exit but runs its input. Programs that first look in the workspace for the version to run or for
 * options, such as npm, yarn, cargo, go and mvn, are not listed.
 */
const versionQuestion = new RegExp(
  `^(${[
    "(bash|clang|cmake|curl|docker|g\\+\\+|gcc|gem|gh|git|make|ruby) --version",
    "(node|perl|php|tsc) (--version|-v)",
    "(deno|pip|pip3|python|python3) (--version|-V)",
    "(java|javac) --?version",
  ].join("|")})$`,
);

export function isVersionQuestion(name: string, words: readonly KnownArgument[]): boolean {
  return versionQuestion.test([name, ...words.map((word) => knownValue(word) ?? "")].join(" "));
}
