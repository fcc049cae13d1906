import type { KnownArgument } from "./argument.ts";

/** What find may test and print. All else is asked about: `-exec`, `-delete`, `-fprint`, … */
const flags: ReadonlySet<string> = new Set(
  `( ) ! , -a -and -o -or -not -true -false -depth -d -empty -print -print0 -prune -quit -ls -mount -xdev
  -readable -writable -executable -daystart -noleaf -nouser -nogroup -H -P`.split(/\s+/),
);
const withText: ReadonlySet<string> = new Set(
  `-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -mtime -mmin
  -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -printf
  -newermt -fstype`.split(/\s+/),
);
const withPath: ReadonlySet<string> = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** The files that find looks at, or what in its arguments is not known to be harmless. */
export function readFindExpression(
  words: readonly KnownArgument[],
): { readonly paths: KnownArgument[] } | { readonly problem: string } {
  const paths: KnownArgument[] = [];
  const queue = [...words];
  let isExpression = false;
  for (let word = queue.shift(); word; word = queue.shift()) {
    if (word.type === "unknown") return { problem: "an argument that is not known" };
    const { value } = word;
    isExpression ||= /^[-(!,]/.test(value) && !/^-[HP]$/.test(value);
    if (word.isOneOfMany && isExpression) return { problem: value };
    if (!isExpression && !value.startsWith("-")) paths.push(word);
    else if (withText.has(value)) queue.shift();
    else if (withPath.has(value)) paths.push(...queue.splice(0, 1));
    else if (!flags.has(value)) return { problem: value };
  }
  return { paths };
}
