import { TeamError } from "../errors.ts";
import { appearanceOf } from "../lib/appearance.ts";
import type { Clock } from "../lib/clock.ts";
import { type FilePath, within } from "../lib/file-path.ts";
import { moveAside, readTextIfExists, replaceFile } from "../lib/files.ts";
import { Listeners } from "../lib/listeners.ts";
import { Serial } from "../lib/serial.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import { TeamRecord } from "../protocol/team.ts";
import type { Roster } from "./roster.ts";
import { formatTeam, lastGoodFile, parseTeam, readTeamFile, rosterFile } from "./team-file.ts";

export interface FileRosterOptions {
  /** The team directory. */
  directory: FilePath;
  clock: Clock;
  /** Says when another process has written to a file of the team directory. */
  watch: WakeSource;
  /** Throws when this process may no longer write the team's state. */
  check(): Promise<void>;
  /** False for a roster that was not begun with the team's key. */
  isOurs(team: TeamRecord): boolean;
  /** The trusted part of a roster that may have been edited since troupe knew it as `known`. */
  vouchFor(team: TeamRecord, known: TeamRecord | undefined): TeamRecord;
  /** Called for a `config.json` that could not be read, with the path of its copy. */
  onWarning(message: string): void;
}

/**
 * The roster in `config.json`. A person may edit it at any time: a good edit is taken over, a bad
 * one is kept beside it and reported, and never costs a member.
 */
export class FileRoster implements Roster, AsyncDisposable {
  readonly #options: FileRosterOptions;
  readonly #path: FilePath;
  readonly #serial = new Serial();
  readonly #listeners = new Listeners<TeamRecord>();
  readonly #stopWatching: () => void;
  #stopReport: () => void = () => undefined;
  /** The roster as this process knows it, and its text: undefined while the file is missing. */
  #team: TeamRecord;
  #text: string | undefined;
  /** The appearance of the file when it was last read: an unchanged file is not read again. */
  #appearance: string | undefined;
  /** An invalid edit of the file, and its problem. */
  #badEdit: { text: string; problem: string } | undefined;

  private constructor(options: FileRosterOptions, known: { team: TeamRecord; text: string }) {
    this.#options = options;
    this.#path = within(options.directory, rosterFile);
    this.#team = known.team;
    this.#text = known.text;
    this.#stopWatching = options.watch.subscribe(rosterFile, () => {
      this.#appearance = undefined;
      this.#serial.run(() => this.#takeOverEdit()).catch((error) => this.#report(error));
    });
  }

  /** Opens the roster, restores it where it is damaged, or begins with `newTeam`. */
  static async open(
    options: FileRosterOptions,
    newTeam: () => TeamRecord | Promise<TeamRecord>,
  ): Promise<FileRoster> {
    const lastGood = await readLastGood(options);
    const found = await readOrSetAside(options, lastGood);
    const vouched = found && options.vouchFor(found.team, lastGood?.team);
    if (found && vouched && formatTeam(vouched) === formatTeam(found.team)) {
      if (lastGood && formatTeam(lastGood.team) !== formatTeam(found.team)) tellOfEdit(options);
      await keepLastGood(options, found.text);
      return new FileRoster(options, found);
    }
    await options.check();
    const restored = lastGood && options.vouchFor(lastGood.team, undefined);
    const team = vouched ?? restored ?? (await newTeam());
    const text = formatTeam(team);
    await writeTeam(options.directory, text);
    return new FileRoster(options, { team, text });
  }

  read(): Promise<TeamRecord> {
    return this.#serial.run(async () => {
      await this.#takeOverEdit();
      return structuredClone(this.#team);
    });
  }

  /** As far as this process knows, without looking. Not to be changed. */
  get known(): TeamRecord {
    return this.#team;
  }

  update(change: (team: TeamRecord) => TeamRecord): Promise<TeamRecord> {
    return this.#serial.run(async () => {
      await this.#options.check();
      await this.#takeOverEdit();
      const team = TeamRecord.parse(change(structuredClone(this.#team)));
      const text = formatTeam(team);
      if (text !== this.#text) {
        await this.#keepBadEdit();
        await writeTeam(this.#options.directory, text);
        this.#use({ team, text });
      }
      return structuredClone(team);
    });
  }

  onChange(listener: (team: TeamRecord) => void): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching();
    this.#listeners.clear();
    // An edit that is being read may still be found invalid, and be due for a report.
    await this.#serial.finished();
    this.#stopReport();
  }

  /** Reads an edit of the file. An invalid edit is left alone until the next update. */
  async #takeOverEdit(): Promise<void> {
    const appearance = appearanceOf(this.#path);
    if (appearance !== undefined && appearance === this.#appearance) return;
    this.#appearance = appearance;
    const text = await this.#readEdit();
    if (text === undefined) this.#text = undefined;
    if (text === undefined || text === this.#text || text === this.#badEdit?.text) return;
    const edit = this.#parseEdit(text);
    if (!edit) return;
    const { team_id, sig } = this.#team;
    const own = { ...edit, team_id, ...(sig && { sig }) };
    const team = this.#options.vouchFor(own, this.#team);
    this.#use({ team, text });
    if (edit.team_id !== team_id || edit.sig !== sig) this.#tellOfId();
    if (formatTeam(team) !== formatTeam(edit)) await this.#undo(team);
    else await keepLastGood(this.#options, text);
  }

  /** A file that cannot be read, because it is too large or no file, is an invalid edit. */
  async #readEdit(): Promise<string | undefined> {
    try {
      return await readTextIfExists(this.#path);
    } catch (error) {
      this.#noteBadEdit("", error);
      return "";
    }
  }

  #parseEdit(text: string): TeamRecord | undefined {
    try {
      return parseTeam(text, String(this.#path));
    } catch (error) {
      this.#noteBadEdit(text, error);
      return undefined;
    }
  }

  /** At once: a reader of another id looks for another key, and the next start reads the members. */
  async #undo(team: TeamRecord): Promise<void> {
    await this.#options.check();
    const text = formatTeam(team);
    await writeTeam(this.#options.directory, text);
    this.#text = text;
  }

  #tellOfId(): void {
    this.#options.onWarning(
      `${this.#path} was edited to name another team. The team keeps its team_id ${this.#team.team_id}, which names its key; the rest of the edit applies.`,
    );
  }

  /** Reports an invalid edit that stays: an editor that is still writing leaves half a file. */
  #noteBadEdit(text: string, error: unknown): void {
    if (!(error instanceof TeamError)) throw error;
    const badEdit = { text, problem: error.message };
    this.#badEdit = badEdit;
    this.#stopReport();
    this.#stopReport = this.#options.clock.schedule(editGraceMs, () => {
      if (this.#badEdit === badEdit) this.#options.onWarning(badEdit.problem);
    });
  }

  async #keepBadEdit(): Promise<void> {
    if (!this.#badEdit) return;
    const { problem } = this.#badEdit;
    const copy = await moveAside(this.#path, "damaged", this.#options.clock.now());
    this.#badEdit = undefined;
    if (!copy) return;
    this.#options.onWarning(`${problem}. The edit is ignored; a copy is ${copy}`);
  }

  #use({ team, text }: { team: TeamRecord; text: string }): void {
    this.#team = team;
    this.#text = text;
    this.#badEdit = undefined;
    this.#listeners.emit(structuredClone(team));
  }

  #report(error: unknown): void {
    this.#options.onWarning(`${this.#path} cannot be read: ${String(error)}`);
  }
}

const editGraceMs = 1000;

type RosterText = Awaited<ReturnType<typeof readTeamFile>>;

async function readOrSetAside(
  options: FileRosterOptions,
  lastGood: RosterText,
): Promise<RosterText> {
  const { directory, clock, onWarning } = options;
  const path = within(directory, rosterFile);
  try {
    const found = await readTeamFile(directory);
    if (!found || options.isOurs(found.team)) return found;
    throw new TeamError("config-invalid", `${path} does not belong to this team`);
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    // Without a last good roster nothing is known but this file: it stays where it is.
    if (!lastGood) throw error;
    await options.check();
    const copy = await moveAside(path, "damaged", clock.now());
    onWarning(
      `${error.message}. The last good roster is used; a copy of the damaged one is ${copy}`,
    );
    return undefined;
  }
}

function tellOfEdit({ directory, onWarning }: FileRosterOptions): void {
  const path = within(directory, rosterFile);
  onWarning(
    `${path} is not what ${lastGoodFile} says troupe last wrote: somebody edited one of them, or troupe was killed while it wrote. ${rosterFile} is used.`,
  );
}

/** Undefined also where it is damaged, or of another team. */
async function readLastGood({ directory, isOurs }: FileRosterOptions): Promise<RosterText> {
  try {
    const found = await readTeamFile(directory, lastGoodFile);
    return found && isOurs(found.team) ? found : undefined;
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    return undefined;
  }
}

/** Keeps a valid edit as the last good roster, for the case of a later invalid edit. */
async function keepLastGood(options: FileRosterOptions, text: string): Promise<void> {
  const path = within(options.directory, lastGoodFile);
  if ((await readTextIfExists(path)) === text) return;
  await options.check();
  await replaceFile(path, text);
}

/** The last good copy first: after a crash, one of the two is whole and newest. */
async function writeTeam(directory: FilePath, text: string): Promise<void> {
  await replaceFile(within(directory, lastGoodFile), text);
  await replaceFile(within(directory, rosterFile), text);
}
