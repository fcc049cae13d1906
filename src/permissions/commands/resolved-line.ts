import type { Place } from "../../workspace/place.ts";
import type { KnownArgument } from "./argument.ts";
import type { Assessment, PathUse } from "./assess.ts";
import type { LineCommands } from "./line-commands.ts";
import type { ShellEnvironment } from "./variables.ts";

/** A command whose paths have been followed to where they lead. */
export interface ResolvedCommand {
  readonly words: readonly KnownArgument[];
  /** The words of everything it runs, wrappings and all, for rules that deny or ask. */
  readonly layers: readonly (readonly string[])[];
  readonly kind: Assessment["kind"];
  readonly uses: readonly PlaceUse[];
  readonly opened: readonly PlaceUse[];
  readonly directory: Place;
  /** Why no rule covers it. */
  readonly doubt: string | undefined;
  /** Why only a rule for its exact words covers it. */
  readonly caution: string | undefined;
  /** Why it is not taken for a command that only reads, though its program could be. */
  readonly problem: string | undefined;
  readonly showsOthers: boolean;
  readonly moves: Assessment["moves"];
  /** True when another command of its line may lead its paths elsewhere. */
  readonly isMoved: boolean;
  /** True when one of its words is the program of troupe itself, under whatever name. */
  readonly namesTroupe: boolean;
  /** Names of files that its patterns find, and that become options of its program. */
  readonly foundOptions: readonly string[];
}

/** A use of a path, of which `word` is -1 when the shell itself opens it. */
export interface PlaceUse extends PathUse {
  readonly place: Place;
}

export interface ResolvedLine extends Omit<LineCommands, "commands"> {
  readonly commands: readonly ResolvedCommand[];
}

/** The context in which a line would run. */
export interface LineContext {
  locate(path: string): Promise<Place>;
  readonly environment: ShellEnvironment;
  /** Folders of the workspace in which the shell looks for programs. */
  readonly programDirectories: readonly string[];
  /** False if files may be created unasked, by this line or at the same time. */
  readonly isStill: boolean;
}
