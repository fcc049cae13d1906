export type { RewindPoint } from "../../agent/rewind.ts";
export type {
  CompactionOrder,
  CompactionReport,
  LastRun,
  RecordedEnd,
  Runner,
  RunOrders,
} from "../../agent/runner.ts";
export type { Fence, HeldFence } from "../../fence/fence.ts";
export type {
  CommandEnd,
  CommandIo,
  CommandNotStarted,
  CommandRequest,
  CommandRunner,
  ProgramEnd,
  ProgramRequest,
  RunningCommand,
} from "../../processes/command-runner.ts";
export type { AskHost } from "../../sandbox/network/host-questions.ts";
export type {
  ConfinedOutcome,
  ConfinedProgram,
  Confinement,
  ProgramToConfine,
  Sandbox,
} from "../../sandbox/sandbox.ts";
export type {
  MemberHandle,
  MemberOrder,
  MemberState,
  RuleText,
} from "../../team/members/member-handle.ts";
export { type ChangeHistoryFixture, testChangeHistory } from "./change-history.ts";
export { type CheckoutRecordsFixture, testCheckoutRecords } from "./checkout-records.ts";
export { type CommandRunnerFixture, testCommandRunner } from "./command-runner.ts";
export { type CronBookFixture, testCronBook } from "./cron-book.ts";
export { type EventLogFixture, testEventLog } from "./event-log.ts";
export { type FenceFixture, testFence } from "./fence.ts";
export { type JobRecordsFixture, testJobRecords } from "./job-records.ts";
export { type LandingsFixture, testLandings } from "./landings.ts";
export { type MailboxFixture, testMailbox } from "./mailbox.ts";
export { type MemberHandleFixture, testMemberHandle } from "./member-handle.ts";
export { type ModelFixture, type ModelScript, type ModelTraits, testModel } from "./model.ts";
export { type RequestsFixture, testRequests } from "./requests.ts";
export { exampleTeam, type RosterFixture, testRoster } from "./roster.ts";
export { type RunnerFixture, type RunnerScript, testRunner } from "./runner.ts";
export { type SandboxFixture, sandboxProbes, testSandbox } from "./sandbox.ts";
export { type TaskBoardFixture, testTaskBoard } from "./task-board.ts";
export { type TeamStoreFixture, testTeamStore } from "./team-store.ts";
export { type TeamViewFixture, testTeamView } from "./team-view.ts";
export { type TranscriptFixture, testTranscript } from "./transcript.ts";
export { testUsageLedger, type UsageLedgerFixture } from "./usage-ledger.ts";
