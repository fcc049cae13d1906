/**
 * Programs that can do almost anything, with the few uses that a rule for their first words covers.
 * Everything else asks.
 */
export interface OpenProgram {
  /**
   * The subcommands that a rule for the program's name alone covers, with commas between: `test,
   * compose ps`.
   */
  readonly subcommands?: string;
  /** Those of them that take no operands, which would name code from elsewhere. */
  readonly alone?: string;
  /** First words that need a second one: a rule has to name both. */
  readonly groups?: string;
  /** Subcommands that no rule for first words covers. */
  readonly never?: string;
  /** Options that may come before the subcommand, and those of them that take a value. */
  readonly leading?: string;
  readonly leadingWithValue?: string;
  /** Options that no rule covers. */
  readonly denied?: string;
  /** The only options that a rule covers, and the only operands. */
  readonly options?: RegExp;
  readonly operands?: RegExp;
  /** Arguments after `--` are for the script or test that the rule names. */
  readonly passesOn?: boolean;
  /** Arguments after the first operand are for the program that it names. */
  readonly isOptionsFirst?: boolean;
  /** Its letters are not joined: `-exec` is one option. */
  readonly hasLongLetters?: boolean;
}

const plainOperand = /^[\w./+:,*-]+$/;

const containers: OpenProgram = {
  subcommands: `ps, images, logs, inspect, version, info, stats, top, port, compose ps, compose logs,
    compose images`,
  groups: "compose container image builder buildx context volume network system plugin machine",
  never: "context plugin",
  denied: `-v -f -H -o --volume --mount --privileged --file --host --context --config --build-context
    --secret --output --device --cap-add --security-opt --pid --env-file`,
};

const packageScripts =
  "test, run, build, lint, typecheck, check, format, start, list, why, audit, outdated, info";

export const openPrograms: Readonly<Record<string, OpenProgram>> = {
  npm: {
    subcommands:
      "test, t, run, run-script, start, ci, install, i, ls, list, outdated, view, pkg get, explain, why, audit, fund",
    alone: "ci install i",
    groups: "pkg cache",
    never: "config c set edit",
    leading: "-s --silent",
    passesOn: true,
    denied: `-c -C -g --call --prefix --script-shell --shell --node-options --userconfig --globalconfig
      --git --editor --viewer --init-module --onload-script --scripts-prepend-node-path --registry
      --replace-registry-host --proxy --https-proxy --cache --location --global --node-gyp --python
      --nodedir --logs-dir`,
  },
  pnpm: {
    subcommands: `${packageScripts}, install, i, ls`,
    alone: "install i",
    never: "config c set",
    leading: "-r -s -w --recursive --silent --workspace-root",
    leadingWithValue: "--filter -F",
    passesOn: true,
    denied: `-c -C -g --dir --prefix --shell-mode --script-shell --node-options --config --registry
      --global --use-node-version --pnpmfile --global-pnpmfile --node-gyp --nodedir --python`,
  },
  yarn: {
    subcommands: `${packageScripts}, install`,
    alone: "install",
    never: "config",
    leading: "-s --silent",
    passesOn: true,
    denied: "--cwd --use-yarnrc --modules-folder --registry --global-folder --script-shell",
  },
  bun: {
    subcommands: "test, install",
    alone: "install",
    denied: "-c -r --config --preload --require --import --cwd --eval --print --global --registry",
  },
  deno: {
    subcommands: "test, lint, fmt, check",
    options: /^(--quiet|-q|--fail-fast|--parallel|--filter=.*|--coverage|--watch)$/,
    operands: /^[\w./*@-]+$/,
  },
  docker: containers,
  podman: containers,
  "docker-compose": { ...containers, subcommands: "ps, logs, images, version" },
  kubectl: {
    subcommands: "get, describe, logs, top, version, explain, api-resources, cluster-info",
    groups: "config plugin krew",
    leadingWithValue: "-n --namespace",
    denied:
      "-f -k -s --filename --kustomize --kubeconfig --server --token --as --raw --context --cluster --user",
  },
  gh: {
    subcommands: `pr view, pr list, pr diff, pr status, pr checks, issue view, issue list, issue status,
      run view, run list, run watch, release view, release list, repo view, repo list, status`,
    groups: "repo secret variable codespace cs ssh-key gpg-key",
    never: "config auth alias extension ext extensions",
    denied: "-w -e --web --editor",
  },
  go: {
    subcommands: "build, test, vet, fmt, list, version, doc, env, mod graph, mod why, mod verify",
    groups: "mod work",
    never: "tool",
    denied:
      "-exec -toolexec -vettool -overlay -modfile -ldflags -gcflags -asmflags -compiler -gccgoflags -C -w -u",
    hasLongLetters: true,
  },
  cargo: {
    subcommands:
      "build, b, check, c, test, t, clippy, fmt, doc, tree, metadata, bench, run, r, version",
    never: "rustc rustdoc",
    passesOn: true,
    denied: "-Z -C --config --target-dir --manifest-path",
  },
  make: {
    options:
      /^(-[ksnBiqwd]+|-j\d*|-l\d*|-O\w*|--(jobs|keep-going|silent|quiet|dry-run|just-print|always-make|no-print-directory|print-directory|trace|output-sync|question|ignore-errors)(=\w*)?)$/,
    operands: /^([\w./%+@-]+|(V|VERBOSE|Q|DEBUG|CI)=\d?)$/,
  },
  cmake: {
    options: /^(-S|-B|-G|-j\d*|-t|-v|--build|--parallel|--target|--config|--verbose)$/,
    operands: plainOperand,
  },
  gcc: {
    options:
      /^-(c|S|E|o|v|I.*|L.*|D.*|l\w+|g\w*|O\w*|W(?![lap],)[\w=+-]*|std=[\w+]+|f(?!plugin)[\w-]*(=[\w,-]+)?|m[\w=-]*|pthread|shared|static|pedantic|ansi|MMD|MD|MP)$/,
    operands: /^[\w./+-]+$/,
  },
  java: { options: /^(-jar|-ea|-Xm[sx]\w+)$/, operands: /^[^@]/, isOptionsFirst: true },
  javac: {
    options: /^(-d|-g|-cp|-classpath|-encoding|-proc:none|-Werror|-Xlint[:\w,-]*|--release)$/,
    operands: plainOperand,
  },
  mvn: {
    options:
      /^(-[qBeXoUN]|-T\w*|-am|-amd|-fae|-ff|--batch-mode|--quiet|--offline|--fail-at-end|-D(test|it\.test|skipTests|skipITs|maven\.test\.skip|failIfNoTests)(=[\w.,*#!-]*)?)$/,
    operands:
      /^(clean|validate|compile|test-compile|test|package|verify|integration-test|install|site|dependency:(tree|list|analyze))$/,
  },
  gradle: {
    options:
      /^(-[qisSdmx]|--(tests|info|debug|stacktrace|no-daemon|offline|rerun-tasks|continue|parallel|quiet|dry-run|warning-mode)(=[\w.*-]*)?)$/,
    operands: /^(?!(.*:)?(wrapper|init)$)[\w:.*-]+$/,
  },
  // Extracting is not covered: an archive may contain files that make other programs run code.
  tar: {
    options: /^(-?[tcvzjJaf]+|--(list|create|verbose|gzip|bzip2|xz|file|exclude)(=[^:]*)?)$/,
    operands: /^[^:@]+$/,
  },
  // Without `-y`, a folder's links are followed wherever they lead.
  zip: { options: /^-([qjxi0-9]+|(?=\w*y)[rqjxiy0-9]+)$/, operands: /^[^@]+$/ },
  pip: { subcommands: "list, show, freeze, check", never: "config" },
  uv: {
    subcommands: "pip list, pip show, pip freeze, pip check, tree, sync, version",
    alone: "sync",
    groups: "pip tool python cache self",
    denied: `-p --directory --project --config-file --index-url --default-index --extra-index-url --index
      --find-links --python --with --script --module`,
  },
  poetry: {
    subcommands: "install, check, show, version, env info",
    alone: "install",
    groups: "env config self cache",
    never: "config self",
    denied: "-C -P --directory --project",
  },
  bundle: {
    subcommands: "install, check, list, show, outdated",
    alone: "install",
    never: "config plugin",
    denied: "--path --gemfile",
  },
  pytest: {
    denied:
      "-c -o -p --override-ini --rootdir --basetemp --pastebin --confcutdir --config-file --pdbcls",
  },
  gofmt: { denied: "-r -cpuprofile", hasLongLetters: true },
  eslint: {
    denied: "-c -f --rulesdir --resolve-plugins-relative-to --config --format --plugin --parser",
    hasLongLetters: true,
  },
  prettier: { denied: "--plugin --config" },
  dotnet: {
    subcommands: "build, test, format, list",
    never: "exec tool",
    denied: "-p -s --property --test-adapter-path --settings --source",
  },
  swift: {
    subcommands: "build, test",
    denied: `-Xcc -Xswiftc -Xlinker -Xcxx --toolchain --toolset --sdk --package-path --scratch-path
      --disable-sandbox`,
    hasLongLetters: true,
  },
  jest: {
    denied: `-c --config --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --resolver
      --testRunner --runner --transform --testEnvironment --reporters --rootDir --preset
      --testSequencer --testResultsProcessor --outputFile --filter`,
    hasLongLetters: true,
  },
  vitest: {
    denied: "-c -r --config --root --dir --globalSetup --environment --execArgv --outputFile",
    hasLongLetters: true,
  },
  mocha: {
    denied: "-r --require --import --loader --config --package --node-option --opts",
    hasLongLetters: true,
  },
  mypy: {
    denied:
      "--config-file --python-executable --custom-typing-module --shadow-file --install-types",
  },
  rg: { denied: "-z --pre --hostname-bin --search-zip" },
  sort: { denied: "-o -T --output --compress-program --temporary-directory" },
  tree: { denied: "-o -R" },
  file: { denied: "-C -m" },
};

/** Programs by other names and versions: `g++-13` is called and takes what gcc does. */
const families: readonly (readonly [RegExp, string])[] = [
  [/^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-[\d.]+)?$/, "gcc"],
  [/^(gradle|gradlew)$/, "gradle"],
  [/^(mvn|mvnw|mvnd)$/, "mvn"],
  [/^(make|gmake|bmake)$/, "make"],
  [/^(tar|gtar|bsdtar)$/, "tar"],
  [/^pip[\d.]*$/, "pip"],
  [/^(python|pypy)[\d.]*$/, "python"],
  [/^(node|nodejs)$/, "node"],
  [/^ruby[\d.]*$/, "ruby"],
  [/^php[\d.]*$/, "php"],
  [/^(lua|luajit)[\d.]*$/, "lua"],
];

/** The name under which a program is known here. */
export function familyOf(name: string): string {
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? name;
}
