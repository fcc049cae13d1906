export { callTool, toolContext } from "./call-tool.ts";
export { type CommandRunnerFixture, testCommandRunner } from "./conformance/command-runner.ts";
export { type CronBookFixture, testCronBook } from "./conformance/cron-book.ts";
export { type EventLogFixture, testEventLog } from "./conformance/event-log.ts";
export { type FenceFixture, testFence } from "./conformance/fence.ts";
export { type JobRecordsFixture, testJobRecords } from "./conformance/job-records.ts";
export { type MailboxFixture, testMailbox } from "./conformance/mailbox.ts";
export { type MemberHandleFixture, testMemberHandle } from "./conformance/member-handle.ts";
export { type ModelFixture, testModel } from "./conformance/model.ts";
export { type RequestsFixture, testRequests } from "./conformance/requests.ts";
export { type RosterFixture, testRoster } from "./conformance/roster.ts";
export { type RunnerFixture, type RunnerScript, testRunner } from "./conformance/runner.ts";
export { type TaskBoardFixture, testTaskBoard } from "./conformance/task-board.ts";
export { type TeamStoreFixture, testTeamStore } from "./conformance/team-store.ts";
export { type TeamViewFixture, testTeamView } from "./conformance/team-view.ts";
export { type TranscriptFixture, testTranscript } from "./conformance/transcript.ts";
export { testUsageLedger, type UsageLedgerFixture } from "./conformance/usage-ledger.ts";
export { ManualClock } from "./manual-clock.ts";
export {
  breaksOff,
  cut,
  inPieces,
  raw,
  type ScriptedAnswer,
  stall,
  status,
} from "./provider-server/answers.ts";
export type { ProviderRequest } from "./provider-server/provider-api.ts";
export { ProviderServer } from "./provider-server/provider-server.ts";
export {
  calls,
  fails,
  hangs,
  reply,
  ScriptedModel,
  type ScriptedReply,
  type ScriptStep,
  says,
  streams,
  thinks,
  thinksInSecret,
} from "./scripted-model.ts";
export { type TemporaryDirectory, temporaryDirectory } from "./temporary-directory.ts";
