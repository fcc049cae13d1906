import { dirname } from "node:path";
import type { Place } from "../workspace/place.ts";

/**
 * Files that tell other programs what to run: git, shells, package managers,
 * editors, agents, CI and hooks. Changing one always asks, whether it exists or not. AGENTS.md is
 * not among them: it tells agents what to do, under these same rules.
 */
const names: ReadonlySet<string> = new Set(
  `.git .gitconfig .gitmodules .gitattributes
  .bashrc .bashrc.d .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv
  .zprofile .zlogin .zlogout .oh-my-zsh .kshrc .cshrc .tcshrc .login .inputrc .envrc .pam_environment
  .xprofile .xinitrc .xsession .vimrc .exrc .emacs .emacs.d .gdbinit .lldbinit .tmux.conf .screenrc
  .nvimrc .dir-locals.el .pdbrc .irbrc .pythonrc .ripgreprc .zsh .m2 sitecustomize.py
  .curlrc .wgetrc .psqlrc .sqliterc .netrc .ssh .gnupg .aws .docker .kube
  .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs .pypirc .mvn .bazelrc
  .bundle rust-toolchain rust-toolchain.toml
  mise.toml .mise.toml .mise .tool-versions
  .husky .huskyrc .githooks .hooks git-hooks .lefthook lefthook.yml lefthook.yaml .lefthook.yml
  lefthook-local.yml .lefthook-local.yml .pre-commit-config.yaml .overcommit.yml .lintstagedrc
  .simple-git-hooks.json
  .gitlab .gitlab-ci.yml .travis.yml .circleci .drone.yml .woodpecker .woodpecker.yml .buildkite
  .cirrus.yml .appveyor.yml appveyor.yml jenkinsfile azure-pipelines.yml azure-pipelines.yaml
  .azure-pipelines bitbucket-pipelines.yml .tekton .semaphore .teamcity
  codemagic.yaml buildspec.yml cloudbuild.yaml bitrise.yml screwdriver.yaml
  .gitpod.yml .devcontainer .devcontainer.json .vscode .idea .run .zed .fleet
  .mcp.json .claude .claude.json .cursor .cursorrules .gemini .codex .opencode opencode.json
  opencode.jsonc .amazonq .aider.conf.yml .continue .windsurf .clinerules .roo .kiro .junie .goosehints
  troupe.json .troupe .agents
  bunfig.toml .bunfig.toml pnpm-workspace.yaml .pnpmfile.mjs .yarn uv.toml pip.conf .condarc .gemrc .cargo
  .rprofile .renviron .ghci .pryrc .octaverc .sbclrc .ocamlinit .guile .iex.exs .perldb .tclshrc
  .pdbrc.py usercustomize.py .user.ini .jvmopts .sbtopts .mavenrc .python-version .ruby-version
  .hg .hgrc .svn .bzr .jj .lfsconfig .git-credentials
  .direnv .direnvrc flake.nix shell.nix devenv.nix .mailrc .nanorc .lessfilter .xsessionrc .xonshrc
  authorized_keys`.split(/\s+/),
);

/** The same for a name by its beginning or end. A bare repository's folder is called `x.git`. */
const namePattern = /^(.+\.git|.+\.code-workspace|\.(lintstagedrc|huskyrc)\..+)$/;

/** Places by the end of their path, if the name alone is too general. */
const trails: readonly string[] =
  `.github/workflows .github/actions .gitea/workflows .forgejo/workflows
  .config/fish .config/git .config/systemd .config/autostart .config/nvim .config/environment.d
  .config/mise .config/gh .config/troupe .cache/troupe troupe/providers/node_modules .config/starship.toml .local/state/troupe .local/bin .local/share/applications .gradle/init.gradle library/launchagents .config/opencode .config/zed .config/helix .config/direnv
  .config/nushell .config/xonsh .config/pip .config/uv .config/pnpm .config/containers
  node_modules/.bin node_modules/.hooks .venv/bin venv/bin .venv/scripts venv/scripts env/bin
  vendor/bin .bundle/bin`.split(/\s+/);

const hook = /(^|\/)hooks\/(pre|post|commit-msg|prepare|update|applypatch)[^/]*$/;

/**
 * True for a file that always asks before it is changed, and for everything in such a folder. A file
 * in a folder of programs is one, whatever its name.
 */
export function isProtected(
  { relative, real }: Place,
  programDirectories: readonly string[],
): boolean {
  // Case is ignored: on some file systems `.GIT` is `.git`.
  const path = (relative ?? real).toLowerCase();
  return (
    programDirectories.includes(dirname(real)) ||
    path.split("/").some((name) => names.has(name) || namePattern.test(name)) ||
    trails.some((trail) => `/${path}/`.includes(`/${trail}/`)) ||
    hook.test(path)
  );
}

/**
 * True for a folder in which some names are protected, such as `.github`: files must not be moved
 * there unchecked.
 */
export function isAboveProtected({ relative, real }: Place): boolean {
  const name = (relative ?? real).toLowerCase().replace(/^.*\//s, "");
  return name === "hooks" || trails.some((trail) => trail.startsWith(`${name}/`));
}
