import { tokenPattern } from "./secret-tokens.ts";

/** The replacement for text that looks like a secret. */
export const placeholder = "[secret]";

/** A form of secrets. The returned text replaces the match. */
export interface SecretPattern {
  pattern: RegExp;
  replace(...match: readonly string[]): string;
}

const whole = () => placeholder;
const afterFirst = (_: string, kept = "") => `${kept}${placeholder}`;

/** Placeholders for a secret: `$TOKEN`, `<your key>`, `{{ secret }}`, `***`. */
const reference = /^(?:[$<{%*[(]|\\[$"'])/;

/** Also one whose end is missing, but not the marker alone: some of the key must follow. */
const privateKey =
  /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{32})(?:[^-]|-(?!----))*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g;

/** Private keys in the formats of RFC 4716 and PuTTY. */
const otherPrivateKeys =
  /(---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----\r?\n|\bPrivate-Lines:[ \t]*\d{1,3}\r?\n)([^-]{30,8000}?(?=---- END|\r?\nPrivate-|$))/g;

const authorization =
  /(\b(?:Proxy-)?Authorization\\?["']?[ \t]*[:=][ \t]*\\?["']?(?:Bearer|Basic|Token|ApiKey)[ \t]+)([^\s"'\\,]{6,})/gi;

const bearer = /(\bBearer[ \t]+)([A-Za-z0-9._~+/=-]{20,})/g;

/** In `scheme://user:password@host`. */
const inUrl = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:"'`<>]{0,100}:)([^\s/"'`<>]{1,200})(?=@)/gi;

/** In `https://<key>@host/1`, as Sentry has it, and tokens with which git clones. */
const keyInUrl =
  /(\bhttps?:\/\/)([0-9a-f]{32}(?::[0-9a-f]{32})?|(?=[A-Za-z_-]{0,80}\d)[\w-]{20,255})(?=@)/gi;

/** A header, as a tool shows it or a script has it. */
const cookie =
  /(\b(?:Set-)?Cookie\\?["']?[ \t]*:[ \t]*\\?["']?)([\w.-]{1,80}=[^\s;"'\\]{4,4000}(?:;[ \t]*[\w.-]{1,80}=[^\s;"'\\]{1,4000}){0,100})/gi;

/** `machine host login name password secret`, on one line or on several. */
const netrc = /(\b(?:login|machine)\s{1,20}\S{1,200}\s{1,20}password\s{1,20})(\S{1,500})/g;

/** `host:port:database:user:password` in `.pgpass`. */
const pgpass =
  /(^[^\s:/]{1,200}:(?:5[45]\d\d|6432|\*):[^\s:]{1,100}:[^\s:]{1,100}:)([^\s:]{3,200})$/gm;

/** Keys in a kubeconfig. */
const keyData = /(\bclient-key-data\\?["']?[ \t]*:[ \t]*\\?["']?)([A-Za-z0-9+/=]{20,})/g;

/** `sshpass -p secret`, and `mysql -psecret`, where no space is between. */
const passwordOption =
  /(\b(?:docker|podman|buildah|skopeo|helm|oc|az)[ \t][^\n|;&]{0,100}?\blogin\b[^\n|;&]{0,200}?[ \t]-p[ \t]+["']?|\bredis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t]+["']?|^[ \t]*(?:requirepass|masterauth)[ \t]+["']?|\bsshpass[ \t]+-p[ \t]*["']?|\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)\b[^\n|;&]{0,200}?[ \t]-p["']?)([^\s"'-][^\s"']{2,200})/gm;

/** `<password>secret</password>`. */
const element =
  /(<([\w.:-]{0,40}(?:password|passwd|passphrase|secret|token|apikey|api-key))>)([^\s<>]{4,500})(?=<\/\2>)/gi;

/** The words from which a wallet is restored. */
const mnemonic =
  /((?:mnemonic|seed[ _-]?phrase|recovery[ _-]?phrase)\\?["']?[ \t]*[:=][ \t]*\\?["']?)((?:[a-z]{3,8}[ \t]+){11,23}[a-z]{3,8})/gi;

/** A variable whose name says that it is a key, but not a public key or a file. */
const variable =
  /(\b[A-Z][A-Z0-9_]{0,60}_(?:KEY|PAT|SESSION|AUTH|CREDS)=\\?["']?)(?<!PUBLIC_KEY=\\?["']?)(?=[^\s"']{0,200}\d)(?=[^\s"']{0,200}[A-Za-z])([^\s"'\\/~.,;&|<>(){}[\]][^\s"'\\,;&|<>(){}[\]]{15,500})/g;

/** In the login file of npm and of Docker: a name and a password in base64. */
const login =
  /((?:^|[\s{,;:])(?:_auth[ \t]*=|\\?["']auth\\?["'][ \t]*:)[ \t]*\\?["']?)([A-Za-z0-9+/]{8,2000}={0,2})(?![\w-])/gm;

/** `--password hunter2`, and `-u name:password` of curl. */
const flag =
  /((?<=^|[\s"'])--?(?:password|passwd|passphrase|token|api-key|apikey|secret|auth-token|access-token)[ \t]+\\?["']?)([^\s"'\\-][^\s"'\\]{3,})/gim;
const user =
  /(\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t]*\\?["']?[^\s:"'\\]{1,100}:)([^\s"'\\]{3,})/g;

const assignment =
  /(passwords?|passwd|passphrase|(?<=[_.-]|\bSSH|\bPG)pass|pwd|psk|secret|secret_key_base|token|(?:api|app|access|private|account|secret|license|auth|encryption|signing|master|service)[_-]?key|credentials?)(\\?["'`]?[ \t]*(?:=>|:=|[:=])[ \t]*)(?:(\\?["'`])((?:(?!\3)[^\n]){4,500}?)\3|([^\s"'`,;&|<>(){}[\]\\]{4,500})(\(|\[)?)/gi;

/** A line of a settings file that has nothing but a password: it may be a word like any other. */
const setting =
  /(^[ \t]*(?:-[ \t]+)?[\w.-]{0,60}(?:password|passwd|passphrase)[ \t]*[:=][ \t]+)([^\s"'`,;&|<>(){}[\]\\]{6,200})[ \t]*$/gim;

/** All patterns, the longest matches first. */
export const secretPatterns: readonly SecretPattern[] = [
  { pattern: privateKey, replace: whole },
  { pattern: otherPrivateKeys, replace: afterFirst },
  { pattern: authorization, replace: unlessReference },
  { pattern: bearer, replace: afterFirst },
  { pattern: inUrl, replace: unlessReference },
  { pattern: keyInUrl, replace: unlessReference },
  { pattern: tokenPattern, replace: whole },
  { pattern: cookie, replace: cookieValues },
  { pattern: netrc, replace: unlessReference },
  { pattern: pgpass, replace: unlessReference },
  { pattern: login, replace: unlessReference },
  { pattern: element, replace: inElement },
  { pattern: mnemonic, replace: afterFirst },
  { pattern: keyData, replace: afterFirst },
  { pattern: passwordOption, replace: unlessReference },
  { pattern: flag, replace: unlessReference },
  { pattern: user, replace: unlessReference },
  { pattern: assignment, replace: assigned },
  { pattern: variable, replace: unlessReference },
  { pattern: setting, replace: setTo },
];

function unlessReference(match = "", kept = "", value = ""): string {
  return reference.test(value) || value === placeholder ? match : `${kept}${placeholder}`;
}

function inElement(match = "", kept = "", _name = "", value = ""): string {
  return unlessReference(match, kept, value);
}

/** A value that is a name in code is not a password. */
function setTo(match = "", kept = "", value = ""): string {
  const isName = /^[A-Z][A-Za-z]*$|[._]/.test(value) || wordsOfCode.test(value);
  return isName ? match : unlessReference(match, kept, value);
}

/** The names of cookies stay. */
function cookieValues(_match = "", kept = "", values = ""): string {
  return `${kept}${values.replace(/=[^;]+/g, `=${placeholder}`)}`;
}

function assigned(...parts: readonly (string | undefined)[]): string {
  const [match = "", name = "", separator = "", quote = "", quoted = "", plain = "", call] = parts;
  const value = quoted || plain;
  if (reference.test(value) || value.includes(placeholder) || value === "[key]") return match;
  const isSecret = quoted
    ? isQuotedSecret(name, quoted)
    : call === undefined && isPlainSecret(value, { name, separator });
  return isSecret ? `${name}${separator}${quote}${placeholder}${quote}` : match;
}

/** A password may contain spaces; a value of any other key with spaces is prose. */
function isQuotedSecret(name: string, value: string): boolean {
  if (/^(?:process\.env|import\.meta|env\.|os\.environ)/.test(value)) return false;
  if (wordsOfCode.test(value)) return false;
  return /^(?:pass|psk)/i.test(name) || (value.length >= 6 && !/\s/.test(value));
}

/**
 * A value without quotes may be code or prose. In `NAME=value`, without spaces, it is a value;
 * elsewhere only text with letters and digits is.
 */
function isPlainSecret(
  value: string,
  { name, separator }: { name: string; separator: string },
): boolean {
  const hasBoth = /[A-Za-z]/.test(value) && /\d/.test(value);
  const isVariable = separator === "=" && /^[A-Z_]+$/.test(name);
  const isPath = !isVariable && /^[a-z_$][\w$]*(?:\.[\w$]+)+$/i.test(value);
  if (wordsOfCode.test(value) || isPath) return false;
  if (separator !== "=") return hasBoth && value.length >= 6 && !/^[A-Z][A-Za-z]*\d?$/.test(value);
  return hasBoth ? value.length >= 6 : /^pass(?:word|wd|phrase)|^pwd/i.test(name);
}

/** Names of types and of empty values, and the key itself: `password=password`. */
const wordsOfCode =
  /^(?:string|str|text|number|int|integer|boolean|bool|any|unknown|object|null|nil|none|undefined|true|false|required|optional|never|void|bytes|self|this|changeme|example|hidden|redacted|masked|[a-z_]*(?:passwords?|passwd|secret|token|key|credentials?))[;,.]?$/i;
