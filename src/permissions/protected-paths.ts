import type { Place } from "../workspace/place.ts";

/**
 * Files by which somebody else's program is told what to run: git, shells, package managers,
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
  .gitpod.yml .devcontainer .devcontainer.json .mcp.json .claude .cursor troupe.json`.split(/\s+/),
);

/** The same for a name by how it ends or begins. A bare repository's folder is called `x.git`. */
const namePattern = /^(.+\.git|.+\.code-workspace|\.(lintstagedrc|huskyrc)\..+)$/;

/** Places by the end of their path, where the name alone would say too little. */
const trails: readonly string[] =
  `.github/workflows .github/actions .gitea/workflows .forgejo/workflows
  .vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json .zed/tasks.json
  .zed/settings.json .idea/workspace.xml .idea/runconfigurations .idea/watchertasks.xml
  .config/fish .config/git .config/systemd .config/autostart .config/nvim .config/environment.d
  .config/mise .config/gh .config/troupe .cache/troupe .config/starship.toml .local/state/troupe .local/bin .local/share/applications .gradle/init.gradle library/launchagents .yarn/releases .yarn/plugins .cargo/config
  .cargo/config.toml`.split(/\s+/);

const hook = /(^|\/)hooks\/(pre|post|commit-msg|prepare|update|applypatch)[^/]*$/;

/** True for a file that always asks before it is changed, and for what lies under such a folder. */
export function isProtected({ relative, real }: Place): boolean {
  // Case does not count: on some file systems `.GIT` is `.git`.
  const path = (relative ?? real).toLowerCase();
  return (
    path.split("/").some((name) => names.has(name) || namePattern.test(name)) ||
    trails.some((trail) => `/${path}/`.includes(`/${trail}/`)) ||
    hook.test(path)
  );
}

/** True for a folder in which some names are protected, such as `.github`: not just any may arrive there. */
export function isAboveProtected({ relative, real }: Place): boolean {
  const name = (relative ?? real).toLowerCase().replace(/^.*\//s, "");
  return name === "hooks" || trails.some((trail) => trail.startsWith(`${name}/`));
}
