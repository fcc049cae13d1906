import type { OptionList } from "./options.ts";

/** Programs that change the files they are given, and nothing else. */
export interface FileProgram extends OptionList {
  /** Which operands are changed; the others are read. */
  readonly changes: "all" | "last" | "after-first";
  /** True for what editing a file could do as well. */
  readonly isEdit: boolean;
}

const recursive = "-f -i -r -R -v --force --recursive --verbose";

export const filePrograms: Readonly<Record<string, FileProgram>> = {
  mkdir: { changes: "all", isEdit: true, flags: "-p -v --parents --verbose", text: "-m --mode" },
  touch: { changes: "all", isEdit: true, flags: "-a -c -h -m", text: "-d -t", paths: "-r" },
  cp: {
    changes: "last",
    isEdit: true,
    flags: `${recursive} -a -d -H -L -n -p -P -T -u -x --archive --dereference --no-clobber --parents --preserve --update`,
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

/**
 * Programs that run whatever they are told, in ways nobody can list: no rule for their first words
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
  find fd sed awk gawk mawk perl unzip 7z cpio patch`.split(/\s+/),
);

/** Programs that run another: a rule covers them when it names that one as well. */
export const runners: readonly (readonly string[])[] = [
  ["npx"],
  ["bunx"],
  ["uvx"],
  ["pnpx"],
  ["npm", "exec"],
  ["npm", "x"],
  ["pnpm", "exec"],
  ["pnpm", "dlx"],
  ["yarn", "exec"],
  ["yarn", "dlx"],
  ["bun", "x"],
  ["bun", "run"],
  ["uv", "run"],
  ["pipx", "run"],
  ["poetry", "run"],
  ["pipenv", "run"],
  ["bundle", "exec"],
  ["docker", "run"],
  ["docker", "exec"],
  ["docker", "compose", "run"],
  ["docker", "compose", "exec"],
  ["podman", "run"],
  ["podman", "exec"],
  ["kubectl", "exec"],
  ["kubectl", "run"],
  ["go", "run"],
  ["gh", "alias"],
  ["gh", "extension"],
  ["gh", "api"],
];

/** Programs that run the file they are given; options before it could bring other code. */
export const interpreters: Readonly<Record<string, OptionList>> = {
  node: {
    flags:
      "--test --check --trace-warnings --no-warnings --enable-source-maps --test-only --watch -c",
    text: "--test-name-pattern --test-reporter --test-timeout --test-concurrency --max-old-space-size",
  },
  python: { flags: "-u -B -s -E -I -q" },
  python3: { flags: "-u -B -s -E -I -q" },
  ruby: { flags: "-w -W" },
  php: {},
  lua: {},
  tsx: {},
  "ts-node": {},
  deno: {},
  bun: {},
  Rscript: {},
};

/**
 * Options by which other programs run code they are given, or write where they are told. A name
 * counts when it is abbreviated too, and a letter when it stands among others.
 */
export const dangerousOptions: Readonly<Record<string, string>> = {
  npm: `-c -C --call --prefix --script-shell --shell --node-options --userconfig --globalconfig --git --editor
    --viewer --init-module --onload-script --scripts-prepend-node-path --registry --cache --location
    --global -g`,
  pnpm: "-c -C -g --dir --prefix --shell-mode --script-shell --node-options --config --registry --global --use-node-version",
  yarn: "--cwd --use-yarnrc --modules-folder --registry --global-folder",
  make: "-f -C -E -I --file --makefile --directory --eval --include-dir",
  cargo: "-Z -C --config --target-dir --manifest-path",
  go: "-exec -toolexec -vettool -overlay -modfile -ldflags -gcflags -asmflags -C",
  pytest: "-c -o -p --override-ini --rootdir --basetemp --pastebin",
  // An archive may bring files that make other programs run code.
  tar: `-x -I -F -P -C --extract --get --to-command --checkpoint-action --use-compress-program --rsh-command --info-script
    --new-volume-script --absolute-names --directory --rmt-command`,
  zip: "-T -TT --unzip-command",
  git: "--exec-path --git-dir --work-tree --output --ext-diff --textconv --open-files-in-pager",
  mvn: "-f -s -gs --file --settings -Dexec",
  gradlew: "-I -b -c -p --init-script --build-file --settings-file --project-dir",
  gcc: "-wrapper -B -fplugin -specs",
  clang: "-Xclang -B -fplugin",
  java: "-agentpath -agentlib -javaagent",
  docker:
    "-v -f -H --volume --mount --privileged --file --host --context --config --build-context --secret",
  gofmt: "-r",
  eslint: "--rulesdir --resolve-plugins-relative-to",
  gh: "--web -w --editor -e",
  rg: "--pre --hostname-bin -z --search-zip",
  sort: "-o -T --output --compress-program --temporary-directory",
  tree: "-o -R",
  file: "-C -m",
};

/** What curl may be given: all else could read, write or send files. */
export const curlOptions: OptionList = {
  flags:
    "-f -g -G -i -I -k -L -s -S -v --compressed --fail --get --head --include --insecure --location --no-progress-meter --show-error --silent --verbose -4 -6",
  text: "-A -d -e -H -m -o -w -X --connect-timeout --data --data-raw --header --max-time --request --retry --retry-delay --user-agent --write-out",
};

/** Variables of make that only say how much it prints. */
export const harmlessMakeVariable = /^(V|VERBOSE|Q|DEBUG|CI)=\d?$/;
