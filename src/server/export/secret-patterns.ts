import { tokenPattern } from "./secret-tokens.ts";

/** What stands where something looked like a secret. */
export const placeholder = "[secret]";

/** A way in which secrets look. What is returned takes the place of the match. */
export interface SecretPattern {
  pattern: RegExp;
  replace(...match: readonly string[]): string;
}

const whole = () => placeholder;
const afterFirst = (_: string, kept = "") => `${kept}${placeholder}`;

/** Values that stand for a secret and are none: `$TOKEN`, `<your key>`, `{{ secret }}`, `***`. */
const reference = /^(?:[$<{%*[(]|\\[$"'])/;

/** Also one whose end is missing, but not the mere words: some of what is secret must follow. */
const privateKey =
  /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{32})(?:[^-]|-(?!----))*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g;

const authorization =
  /(\b(?:Proxy-)?Authorization\\?["']?[ \t]*[:=][ \t]*\\?["']?(?:Bearer|Basic|Token|ApiKey)[ \t]+)([^\s"'\\,]{6,})/gi;

const bearer = /(\bBearer[ \t]+)([A-Za-z0-9._~+/=-]{20,})/g;

/** In `scheme://user:password@host`. */
const inUrl = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:"'`<>]{0,100}:)([^\s/@"'`<>]{1,200})(?=@)/gi;

/** In `https://<key>@host/1`, as Sentry has it. */
const keyInUrl = /(\bhttps?:\/\/)([0-9a-f]{32}(?::[0-9a-f]{32})?)(?=@)/gi;

/** A header, as a tool shows it or a script has it. */
const cookie =
  /(\b(?:Set-)?Cookie\\?["']?[ \t]*:[ \t]*\\?["']?)([\w.-]{1,80}=[^\s;"'\\]{4,4000}(?:;[ \t]*[\w.-]{1,80}=[^\s;"'\\]{1,4000}){0,100})/gi;

/** `machine host login name password secret`, on one line or on several. */
const netrc = /(\blogin\s{1,20}\S{1,200}\s{1,20}password\s{1,20})(\S{1,500})/g;

/** Of a kubeconfig. */
const keyData = /(\bclient-key-data\\?["']?[ \t]*:[ \t]*\\?["']?)([A-Za-z0-9+/=]{20,})/g;

/** `sshpass -p secret`, and `mysql -psecret`, where no space is between. */
const passwordOption =
  /(\bsshpass[ \t]+-p[ \t]*["']?|\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump)\b[^\n|;&]{0,200}?[ \t]-p["']?)([^\s"'-][^\s"']{2,200})/g;

/** `--password hunter2`, and `-u name:password` of curl. */
const flag =
  /((?<=^|[\s"'])--?(?:password|passwd|passphrase|token|api-key|apikey|secret|auth-token|access-token)[ \t]+\\?["']?)([^\s"'\\-][^\s"'\\]{3,})/gim;
const user =
  /(\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t]*\\?["']?[^\s:"'\\]{1,100}:)([^\s"'\\]{3,})/g;

const assignment =
  /(passwords?|passwd|passphrase|pwd|secret|token|(?:api|app|access|private|account|secret|license|auth|encryption|signing|master|service)[_-]?key|credentials?)(\\?["'`]?[ \t]*(?:=>|:=|[:=])[ \t]*)(?:(\\?["'`])((?:(?!\3)[^\n]){4,500}?)\3|([^\s"'`,;&|<>(){}[\]\\]{4,500})(\(|\[)?)/gi;

/** All of them, those that match most first. */
export const secretPatterns: readonly SecretPattern[] = [
  { pattern: privateKey, replace: whole },
  { pattern: authorization, replace: unlessReference },
  { pattern: bearer, replace: afterFirst },
  { pattern: inUrl, replace: unlessReference },
  { pattern: keyInUrl, replace: unlessReference },
  { pattern: tokenPattern, replace: whole },
  { pattern: cookie, replace: cookieValues },
  { pattern: netrc, replace: unlessReference },
  { pattern: keyData, replace: afterFirst },
  { pattern: passwordOption, replace: unlessReference },
  { pattern: flag, replace: unlessReference },
  { pattern: user, replace: unlessReference },
  { pattern: assignment, replace: assigned },
];

function unlessReference(match = "", kept = "", value = ""): string {
  return reference.test(value) || value === placeholder ? match : `${kept}${placeholder}`;
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

/** A password may be a sentence; of anything else that has spaces, it is a sentence about it. */
function isQuotedSecret(name: string, value: string): boolean {
  if (/^(?:process\.env|import\.meta|env\.|os\.environ)/.test(value)) return false;
  if (wordsOfCode.test(value)) return false;
  return /^pass(?:word|wd|phrase)/i.test(name) || (value.length >= 6 && !/\s/.test(value));
}

/**
 * What is assigned without quotes may be code or prose. In `NAME=value`, with no space around, it is
 * a value; elsewhere only what has letters and digits is.
 */
function isPlainSecret(
  value: string,
  { name, separator }: { name: string; separator: string },
): boolean {
  const hasBoth = /[A-Za-z]/.test(value) && /\d/.test(value);
  if (wordsOfCode.test(value) || /^[a-z_$][\w$]*(?:\.[\w$]+)+$/i.test(value)) return false;
  if (separator !== "=") return hasBoth && value.length >= 6 && !/^[A-Z][A-Za-z]*\d?$/.test(value);
  return hasBoth ? value.length >= 6 : /^pass(?:word|wd|phrase)|^pwd/i.test(name);
}

/** Names of types, of nothing, and of the very thing: `password=password`. */
const wordsOfCode =
  /^(?:string|str|text|number|int|integer|boolean|bool|any|unknown|object|null|nil|none|undefined|true|false|required|optional|never|void|bytes|self|this|changeme|example|hidden|redacted|masked|[a-z_]*(?:passwords?|passwd|secret|token|key|credentials?))[;,.]?$/i;
