import { parseRule, type Rule } from "./rule.ts";

/** Files in a home directory with which somebody can act as its owner. */
const secrets =
  `.ssh .gnupg .aws .azure .kube .docker .password-store .netrc .git-credentials .pypirc
  .npmrc .pgpass .my.cnf .vault-token .config/gh .config/gcloud .config/op .config/rclone .mozilla
  .config/google-chrome .config/chromium .local/share/keyrings .gitconfig .bash_history .zsh_history`.split(
    /\s+/,
  );

/** Their paths in a home directory. */
export function secretsBelow(home: string): readonly string[] {
  return secrets.filter((name) => name !== ".gitconfig").map((name) => `${home}/${name}`);
}

/** Variables that name other places for such files. */
const placeVariables =
  `AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE AZURE_CONFIG_DIR KUBECONFIG DOCKER_CONFIG
  GNUPGHOME CLOUDSDK_CONFIG GOOGLE_APPLICATION_CREDENTIALS GH_CONFIG_DIR NETRC PGPASSFILE NPM_CONFIG_USERCONFIG
  PASSWORD_STORE_DIR RCLONE_CONFIG`.split(/\s+/);

/** The paths that the variables of an environment name for such files. */
export function secretsNamedBy(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const named = placeVariables.flatMap((name) => environment[name]?.split(":") ?? []);
  const { XDG_CONFIG_HOME: base = "" } = environment;
  const configured = secrets
    .filter((name) => name.startsWith(".config/"))
    .map((name) => name.replace(".config", base));
  return [...named, ...(base === "" ? [] : configured)].filter((path) => path.startsWith("/"));
}

/** Files of the system with which somebody can act as it, or as its users: root can read them. */
export const systemSecrets: readonly string[] =
  `/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/ssl/private /etc/krb5.keytab
  /etc/kubernetes /etc/rancher /var/lib/kubelet /var/lib/docker /var/lib/containerd
  /etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key`.split(/\s+/);

/** Where programs are that people install in their home directory, and what these need: no settings and no secrets. */
const tools =
  `.nvm .volta .pyenv .rbenv .asdf .sdkman .rustup .bun/bin .deno/bin .cargo/bin .cargo/registry
  .cargo/git .local/bin .local/lib go/bin go/pkg .m2/repository`.split(/\s+/);

/** Their paths in a home directory. */
export function toolsBelow(home: string): readonly string[] {
  return tools.map((name) => `${home}/${name}`);
}

/** Rules that ask before any of it is read, for a home directory within the workspace. */
export function homeSecrets(home: string): readonly Rule[] {
  const base = home === "." ? "" : `${home}/`;
  return secrets.map((name) => parseRule("ask", `read_file(${base}${name})`));
}
