import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { ModelPrice } from "../../src/model/prices.ts";
import * as cron from "../../src/protocol/cron.ts";
import * as effort from "../../src/protocol/effort.ts";
import * as events from "../../src/protocol/events.ts";
import * as ids from "../../src/protocol/ids.ts";
import * as job from "../../src/protocol/job.ts";
import * as landing from "../../src/protocol/landing.ts";
import * as message from "../../src/protocol/message.ts";
import * as request from "../../src/protocol/request.ts";
import * as task from "../../src/protocol/task.ts";
import * as team from "../../src/protocol/team.ts";
import * as transcript from "../../src/protocol/transcript.ts";
import * as usage from "../../src/protocol/usage.ts";
import { PersonsAnswer } from "../../src/team/protocols/persons-answer.ts";

const modules = {
  ...{ ...cron, ...effort, ...events, ...ids, ...job, ...landing, ...message, ...request },
  ...{ ...task, ...team, ...transcript, ...usage, ModelPrice, PersonsAnswer },
};
type Modules = typeof modules;

/** The schemas among the exports of these modules, by name. */
type Schemas = {
  [Name in keyof Modules as Modules[Name] extends z.ZodType ? Name : never]: Modules[Name];
};

/** The type that each schema has the name of. */
interface Types {
  AgentEvent: events.AgentEvent;
  CommitId: ids.CommitId;
  CronEntry: cron.CronEntry;
  CronId: cron.CronId;
  Effort: effort.Effort;
  EffortChoice: effort.EffortChoice;
  ImageReference: message.ImageReference;
  InheritedField: team.InheritedField;
  InputImage: transcript.InputImage;
  JobRecord: job.JobRecord;
  Landing: landing.Landing;
  LandingCheck: landing.LandingCheck;
  LandingId: ids.LandingId;
  LandingMode: landing.LandingMode;
  LandingState: landing.LandingState;
  MailPosition: message.MailPosition;
  MemberName: ids.MemberName;
  MemberRecord: team.MemberRecord;
  MemberServers: team.MemberServers;
  MemberStatus: team.MemberStatus;
  Message: message.Message;
  MessageId: ids.MessageId;
  ModelImage: transcript.ModelImage;
  ModelPrice: ModelPrice;
  OwnRules: team.OwnRules;
  PermissionMode: message.PermissionMode;
  PersonsAnswer: PersonsAnswer;
  ReplyBlock: transcript.ReplyBlock;
  RequestDecision: request.RequestDecision;
  RequestId: ids.RequestId;
  RequestState: request.RequestState;
  RequestType: request.RequestType;
  RoleReference: team.RoleReference;
  RuleChange: team.RuleChange;
  RunOutcome: message.RunOutcome;
  StopReason: transcript.StopReason;
  StoredEvent: events.StoredEvent;
  Task: task.Task;
  TaskId: ids.TaskId;
  TaskLease: task.TaskLease;
  TaskStatus: task.TaskStatus;
  TeamId: ids.TeamId;
  TeamPermissions: team.TeamPermissions;
  TeamRecord: team.TeamRecord;
  TeamRequest: request.TeamRequest;
  TeammateName: ids.MemberName;
  Timestamp: number;
  TokenUsage: usage.TokenUsage;
  TranscriptEntry: transcript.TranscriptEntry;
  UsageCarried: usage.UsageCarried;
  UsageLine: usage.UsageLine;
  UsageRecord: usage.UsageRecord;
  UsageTotal: usage.UsageTotal;
}

/** A type as the fields that it names, all the way down: fields that are only kept do not count. */
type Named<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Named<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T as string extends Key ? never : Key]: Named<T[Key]> }
      : T;

type IsSame<A, B> =
  (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

/** The schemas whose values are not exactly of the type of their name. */
type Differing<All, Expected> = {
  [Name in keyof All & keyof Expected]: IsSame<
    Named<z.output<All[Name]>>,
    Named<Expected[Name]>
  > extends true
    ? never
    : Name;
}[keyof All & keyof Expected];

test("every schema has exactly the fields of the type that has its name", () => {
  // The compiler checks these: `npx tsc`.
  expectTypeOf<keyof Schemas>().toEqualTypeOf<keyof Types>();
  expectTypeOf<Differing<Schemas, Types>>().toEqualTypeOf<never>();
  expect(Object.keys(modules)).toContain("TeamRequest");
});

test("control: a field that only one of them has would be found, optional or not", () => {
  interface Known {
    a: string;
    b?: number | undefined;
  }
  const schemas = {
    same: z.looseObject({ a: z.string(), b: z.number().optional() }),
    fewer: z.object({ a: z.string() }),
    more: z.object({ a: z.string(), b: z.number().optional(), c: z.string().optional() }),
    other: z.object({ a: z.string(), b: z.number() }),
  };
  type Found = Differing<typeof schemas, Record<keyof typeof schemas, Known>>;

  expectTypeOf<Found>().toEqualTypeOf<"fewer" | "more" | "other">();
  expect(schemas.same.parse({ a: "x" })).toEqual({ a: "x" });
});
