import type { ProcessInfo } from "../command.ts";
import { oneLine } from "../render/one-line.ts";
import type { Configuration } from "./configuration.ts";
import type { ConsentAnswer, FileIdentity } from "./consent.ts";
import { consentLines } from "./loosening.ts";
import { findMcpFile } from "./mcp-file.ts";
import type { PendingConsent } from "./resolve-settings.ts";
import { roleRepositoryFiles } from "./role-source.ts";

/** A file of a repository with parts that count only with the person's consent. */
export interface RepositoryFile extends FileIdentity {
  readonly path: string;
  /** Those parts, one per line, printable and uncut: the person must see all of them. */
  readonly needs: readonly string[];
  readonly wording: ConsentWording;
  /** The person's answer about its present content. */
  readonly answer: ConsentAnswer | undefined;
}

/** What is said of a kind of files. */
interface ConsentWording {
  /** Follows the path in the question at the start: "would loosen your own settings". */
  readonly asked: string;
  /** Introduces the parts: "These settings apply", "These settings are ignored". */
  readonly trusted: string;
  readonly untrusted: string;
  /** Follows "is not trusted, so" in a note. */
  readonly withheld: string;
}

export interface RepositoryPlace {
  readonly workspace: string;
  readonly processInfo: ProcessInfo;
}

/** Finds the files of one kind. One that cannot be read is left to its user. */
type Finder = (place: RepositoryPlace) => Promise<readonly RepositoryFile[]>;

/** For each kind but `troupe.json`, in the order in which the person is shown them. */
const finders: readonly Finder[] = [findMcpFile, roleRepositoryFiles];

/** All files of the repository that need consent, whether it was given or not. */
export async function repositoryFiles(
  place: RepositoryPlace,
  configuration: Configuration,
): Promise<RepositoryFile[]> {
  const { workspaceFile: file, loosenings, answer } = configuration;
  const settings =
    file && loosenings.length > 0 ? [settingsFile({ file, loosenings, answer })] : [];
  return [...settings, ...(await otherFiles(place))];
}

/** Those without the person's trust that matter for a run with these settings. */
export async function untrustedFiles(
  { pending }: { readonly pending: PendingConsent | undefined },
  place: RepositoryPlace,
): Promise<RepositoryFile[]> {
  const others = (await otherFiles(place)).filter(({ answer }) => answer !== "trusted");
  if (!pending) return others;
  const answer = pending.wasDeclined ? "declined" : undefined;
  return [settingsFile({ ...pending, answer }), ...others];
}

/** The notes about them for a person who is not asked. Files of a kind are told as one. */
export function withheldLines(untrusted: readonly RepositoryFile[]): string[] {
  const paths = new Map<string, string[]>();
  for (const { path, wording } of untrusted) {
    paths.set(wording.withheld, [...(paths.get(wording.withheld) ?? []), path]);
  }
  return [...paths].map(([withheld, [first = "", ...others]]) => {
    const which = others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`;
    return oneLine(
      `note: ${which} not trusted, so ${withheld}. Run \`troupe trust --show\` there to see them, and \`troupe trust\` to apply them.`,
    );
  });
}

async function otherFiles(place: RepositoryPlace): Promise<RepositoryFile[]> {
  const found: RepositoryFile[] = [];
  for (const find of finders) found.push(...(await find(place)));
  return found;
}

/** `troupe.json`, which loosens the person's settings. */
function settingsFile({
  file: { kind, path, realPath, sha256 },
  loosenings,
  answer,
}: Pick<PendingConsent, "file" | "loosenings"> & Pick<RepositoryFile, "answer">): RepositoryFile {
  const names = loosenings.map(({ name }) => name).join(", ");
  return {
    ...{ kind, path, realPath, sha256, answer },
    needs: consentLines(loosenings),
    wording: {
      asked: "would loosen your own settings",
      trusted: "These settings apply",
      untrusted: "These settings are ignored",
      withheld: `these settings are ignored: ${names}`,
    },
  };
}
