import { CronEntry } from "./protocol/cron.ts";
import { AgentEvent, StoredEvent } from "./protocol/events.ts";
import { JobRecord } from "./protocol/job.ts";
import { Landing } from "./protocol/landing.ts";
import { Message } from "./protocol/message.ts";
import { TeamRequest } from "./protocol/request.ts";
import { Task } from "./protocol/task.ts";
import { TeamRecord } from "./protocol/team.ts";
import { TranscriptEntry } from "./protocol/transcript.ts";
import { UsageLine } from "./protocol/usage.ts";

/** Checks data from outside, such as parsed JSON. The types are those of `troupe`. */
export interface DataSchema<T> {
  /** Returns the data, with defaults for what is missing. Throws an error that says what is wrong. */
  parse(data: unknown): T;
  /** The same, without throwing. */
  safeParse(data: unknown): SchemaResult<T>;
}

/** What a check of data has found. */
export type SchemaResult<T> = SchemaSuccess<T> | SchemaFailure;

/** The data is right. */
export interface SchemaSuccess<T> {
  /** Whether the data is right. */
  success: true;
  /** The data, with defaults for what is missing. */
  data: T;
}

/** The data is wrong. */
export interface SchemaFailure {
  /** Whether the data is right. */
  success: false;
  /** What is wrong with it. */
  error: SchemaError;
}

/** What is wrong with data. */
export interface SchemaError extends Error {
  /** Every problem that was found. */
  readonly issues: readonly SchemaIssue[];
}

/** One problem of data. */
export interface SchemaIssue {
  /** Where it is: the keys that lead there. */
  readonly path: readonly PropertyKey[];
  /** What is wrong there. */
  readonly message: string;
}

/** A line of `troupe run --output stream-json`. */
export const agentEventSchema: DataSchema<AgentEvent> = AgentEvent;

/** A line of `events.jsonl`. */
export const storedEventSchema: DataSchema<StoredEvent> = StoredEvent;

/** A message of a mailbox, without its signature. */
export const messageSchema: DataSchema<Message> = Message;

/** A file of `requests`. */
export const teamRequestSchema: DataSchema<TeamRequest> = TeamRequest;

/** A file of `tasks`. */
export const taskSchema: DataSchema<Task> = Task;

/** A file of `landings`. */
export const landingSchema: DataSchema<Landing> = Landing;

/** The roster, `config.json`. */
export const teamRecordSchema: DataSchema<TeamRecord> = TeamRecord;

/** A line of a transcript. */
export const transcriptEntrySchema: DataSchema<TranscriptEntry> = TranscriptEntry;

/** A line of `usage.jsonl`. */
export const usageLineSchema: DataSchema<UsageLine> = UsageLine;

/** A file of `crons`. */
export const cronEntrySchema: DataSchema<CronEntry> = CronEntry;

/** A file of `background`. */
export const jobRecordSchema: DataSchema<JobRecord> = JobRecord;
