import type { Place } from "../workspace/place.ts";

/**
 * Files by which somebody else's program is told what to run: git, shells, package managers,
 * editors, CI and hooks. Changing one always asks, whether it exists or not. AGENTS.md is not among
 * them: it tells agents what to do, under these same rules.
 */
const names: ReadonlySet<string> = new Set(
  `.git .gitconfig .gitmodules .gitattributes .bashrc .bash_profile .bash_login .bash_logout
  .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login
  .inputrc .envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pypirc .netrc .ssh .gnupg .husky
  .githooks .lefthook lefthook.yml lefthook.yaml .lefthook.yml .pre-commit-config.yaml
  .overcommit.yml .gitlab-ci.yml .travis.yml .circleci .drone.yml .woodpecker .woodpecker.yml
  .buildkite .cirrus.yml .appveyor.yml appveyor.yml jenkinsfile azure-pipelines.yml
  azure-pipelines.yaml bitbucket-pipelines.yml .gitpod.yml .devcontainer .devcontainer.json
  troupe.json`
    .split(/\s+/)
    .filter((name) => name !== ""),
);

/** Places by the end of their path, where the name alone would say too little. */
const trails: readonly RegExp[] = [
  /(^|\/)\.github\/(workflows|actions)(\/|$)/,
  /(^|\/)\.vscode\/(tasks|settings|launch)\.json$/,
  /(^|\/)\.idea\/(workspace\.xml|runconfigurations)(\/|$)/,
  /(^|\/)\.config\/(fish|git|systemd|autostart)(\/|$)/,
  /(^|\/)\.cargo\/config(\.toml)?$/,
  /(^|\/)hooks\/(pre|post|commit-msg|prepare|update|applypatch)[^/]*$/,
];

/** A bare repository's folder is called so by custom, and a worktree's lies in its `worktrees`. */
const gitFolder = /^.+\.git$/;

/** True for a file that always asks before it is changed, and for what lies under such a folder. */
export function isProtected({ relative, real }: Place): boolean {
  // Case does not count: on some file systems `.GIT` is `.git`.
  const path = (relative ?? real).toLowerCase();
  return (
    path.split("/").some((name) => names.has(name) || gitFolder.test(name)) ||
    trails.some((trail) => trail.test(path))
  );
}

/** True when `path` is `directory` or lies in it. Both are real paths. */
export function isWithin(path: string, directory: string): boolean {
  const parent = directory.endsWith("/") ? directory : `${directory}/`;
  return path === directory || path.startsWith(parent);
}
