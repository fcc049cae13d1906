import type { Rule } from "../rule.ts";
import type { OptionList } from "./options.ts";

/** Programs that change the files they are given, and nothing else. */
export interface FileProgram extends OptionList {
  /** Which operands are changed; the others are read. */
  readonly changes: "all" | "last" | "after-first";
  /** True for a change that editing a file could do as well. */
  readonly isEdit: boolean;
}

const recursive = "-f -i -r -R -v --force --recursive --verbose";

export const filePrograms: Readonly<Record<string, FileProgram>> = {
  mkdir: { changes: "all", isEdit: true, flags: "-p -v --parents --verbose", text: "-m --mode" },
  touch: { changes: "all", isEdit: true, flags: "-a -c -h -m", text: "-d -t", paths: "-r" },
  cp: {
    changes: "last",
    isEdit: true,
    flags: `${recursive} -a -d -n -p -P -T -u -x --archive --no-clobber --preserve --update`,
  },
  mv: {
    changes: "all",
    isEdit: true,
    flags: "-f -i -n -T -u -v --force --no-clobber --update --verbose",
  },
  rm: { changes: "all", isEdit: false, flags: `${recursive} -d -I --dir` },
  rmdir: { changes: "all", isEdit: false, flags: "-p -v --parents --verbose" },
  ln: { changes: "all", isEdit: false, flags: "-f -n -r -s -T -v --force --relative --symbolic" },
  tee: { changes: "all", isEdit: true, flags: "-a -i --append" },
  truncate: { changes: "all", isEdit: false, flags: "-c", text: "-s --size" },
  chmod: { changes: "after-first", isEdit: false, flags: "-R -v -c -f --recursive --verbose" },
};

/** Further programs that make files under any name. */
const making: ReadonlySet<string> = new Set(
  "sed install rsync dd tar unzip cpio patch curl wget split csplit".split(" "),
);

/** True for a rule that lets a model create files under any name without asking. */
export function mayMakeFiles({ decision, scope, pattern }: Rule): boolean {
  if (decision !== "allow" || scope === "reading" || scope === "hosts") return false;
  // Nobody knows what a tool of the library's user does.
  if (scope !== "commands" || pattern?.type !== "words") return true;
  const [name = ""] = pattern.words;
  return Object.hasOwn(filePrograms, name) || making.has(name);
}

/**
 * Programs that run any code given to them, in too many ways to list: no rule for their first words
 * covers them. A rule for the exact command does.
 */
export const uncoverable: ReadonlySet<string> = new Set(
  `. source eval exec trap alias unalias enable hash bind declare typeset local readonly let mapfile
  readarray getopts unset shopt pushd popd fc complete compgen coproc ulimit umask
  sudo doas su runuser pkexec chroot unshare nsenter setpriv bash sh dash zsh ksh fish csh tcsh busybox
  xargs parallel watch entr env ssh scp sftp rsync telnet nc ncat socat ftp tftp wget mail sendmail
  script expect screen tmux at batch crontab systemctl launchctl service open xdg-open osascript
  vi vim nvim view ex ed emacs nano pico less more most man info w3m lynx
  gdb lldb strace ltrace valgrind perf sqlite3 psql mysql mongosh redis-cli nix-shell nix
  dd install mkfifo mknod mount umount insmod kill killall pkill shutdown reboot
  find fd sed awk gawk mawk perl unzip 7z cpio patch rustc
  julia tclsh wish guile racket ghci runghc groovy jshell irb pry ipython iex erl elixir scala swipl sbcl
  ocaml octave R`.split(/\s+/),
);

/** Programs that run another: a rule covers them when it names that one as well. */
const runners: readonly (readonly string[])[] = `npx, bunx, uvx, pnpx, npm exec, npm x, npm explore,
  npm init, npm create, npm innit, pnpm exec, pnpm dlx, pnpm create, pnpm init, yarn exec, yarn dlx,
  yarn create, yarn init, yarn node, yarn run node, yarn workspace, yarn workspaces, bun x, bun run, bun exec,
  bun create, bun init, deno run, deno eval, deno repl, deno task, deno install, uv run, uv tool run,
  pipx run, poetry run, pipenv run, bundle exec, docker run, docker exec, docker container run,
  docker container exec, docker compose run, docker compose exec, docker-compose run,
  docker-compose exec, podman run, podman exec, podman container run, podman container exec,
  kubectl exec, kubectl run, kubectl debug, go run, gh api`
  .split(",")
  .map((runner) => runner.trim().split(/\s+/));

/** The first words of a command that runs another, if these are. Npm knows its own by their beginning. */
export function runnerOf(words: readonly (string | undefined)[]): readonly string[] | undefined {
  return runners.find((runner) =>
    runner.every((name, index) => {
      const word = words[index];
      const isShortened = runner[0] === "npm" && index > 0 && word !== "" && word !== "i";
      return word === name || (isShortened && word !== undefined && name.startsWith(word));
    }),
  );
}

/** Programs that run the file they are given; options before it could bring other code. */
export const interpreters: Readonly<Record<string, OptionList>> = {
  node: {
    flags:
      "--test --check --trace-warnings --no-warnings --enable-source-maps --test-only --watch -c",
    paths: "--test-reporter",
    text: "--test-name-pattern --test-timeout --test-concurrency --max-old-space-size",
  },
  python: { flags: "-u -B -s -E -I -q" },
  ruby: { flags: "-w -W" },
  php: {},
  lua: {},
  tsx: {},
  "ts-node": {},
  Rscript: {},
};

/** The options that curl may have: any other could read, write or send files. */
export const curlOptions: OptionList = {
  flags:
    "-f -g -G -i -I -k -L -s -S -v --compressed --fail --get --head --include --insecure --location --no-progress-meter --show-error --silent --verbose -4 -6",
  text: "-e -m -X --connect-timeout --data-raw --max-time --request --retry --retry-delay",
  // Values that name a file when they begin with `@`.
  scripts: "-A -d -H -w --data --header --user-agent --write-out",
  paths: "-o",
};
