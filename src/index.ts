export type { BudgetLimits } from "./agent/bill.ts";
export type {
  AfterCallAnswer,
  AskAnswer,
  CallAnswer,
  EndingRun,
  HookedCall,
  HookOutput,
  MemberHooks,
} from "./agent/hooks.ts";
export type { CompactionReport, RunEnd } from "./agent/runner.ts";
export type { CheckoutDraft, CheckoutRecords } from "./checkouts/checkout-records.ts";
export type { Checkouts, KeptWork } from "./checkouts/checkouts.ts";
export type { GoingBack, KeptState, WentBack } from "./checkouts/go-back.ts";
export type { ListedCheckout } from "./checkouts/listed-checkouts.ts";
export type { CronBook } from "./crons/cron-book.ts";
export { type ErrorCode, TeamError } from "./errors.ts";
export type { FenceHolder } from "./fence/fence.ts";
export type { HookSource } from "./hooks/command-hooks.ts";
export type { Signature } from "./keys/signature.ts";
export { hmacSignature } from "./keys/signature.ts";
export type {
  ConflictMove,
  DiscardedMove,
  FailedMove,
  LandedMove,
  LandingDraft,
  LandingMove,
  Landings,
  MergedMove,
  RejectedMove,
  ReplacedMove,
  TakenMove,
} from "./landing/landings.ts";
export { type Clock, systemClock } from "./lib/clock.ts";
export type { ProcessIdentity, ProcessTable } from "./lib/process-identity.ts";
export type { EventLog, EventReader, FollowLogOptions } from "./logs/event-log.ts";
export type { UsageLedger, UsageReader } from "./logs/usage-ledger.ts";
export type {
  DeliveredMail,
  LostMail,
  Mailbox,
  MailboxReader,
  MailboxReaderOptions,
  MailDelivery,
  MailRecord,
  MailState,
  SetAsideLine,
} from "./mailbox/mailbox.ts";
export type { Watchdogs } from "./model/ai-sdk/watched-request.ts";
export type { ProviderFamily } from "./model/built-in-providers.ts";
export type { ListedModel, ListModelsOptions } from "./model/list-models.ts";
export type {
  FinishPart,
  Model,
  ModelPart,
  ModelRequest,
  ThinkingRequest,
  Utterance,
} from "./model/model.ts";
export {
  type EffortLevel,
  type ModelFacts,
  modelFacts,
  type OwnFacts,
  type OwnModel,
  type OwnModels,
} from "./model/model-facts.ts";
export type { FailureKind, ModelFailure } from "./model/model-failure.ts";
export type { LongRates, ModelPrice, TokenRates } from "./model/prices.ts";
export type { ProviderDefinition, ProviderDefinitions } from "./model/provider-definitions.ts";
export type { EnvironmentVariables } from "./model/provider-settings.ts";
export {
  aiSdkModel,
  type LanguageModelOptions,
  type SdkLanguageModel,
} from "./model/sdk-language-model.ts";
export type { JobRecords } from "./processes/job-records.ts";
export type {
  CheckoutLink,
  CheckoutRecord,
  CheckoutState,
  EarlierCheckout,
  Isolation,
  MemberCheckout,
} from "./protocol/checkout.ts";
export type {
  CronEntry,
  CronId,
} from "./protocol/cron.ts";
export type { Effort, EffortChoice } from "./protocol/effort.ts";
export type {
  AgentEvent,
  ClearEvent,
  CompactionEndEvent,
  CompactionStartEvent,
  EventFields,
  HookRunEvent,
  LandingChangeEvent,
  LineSetAsideEvent,
  MemberChangeEvent,
  MessageDeliveredEvent,
  MessageReturnedEvent,
  MessageSentEvent,
  MessageWithdrawnEvent,
  ModeChangeEvent,
  ModelCallEvent,
  ModelChangeEvent,
  ModelSetEvent,
  ModelWaitEvent,
  ReplyRestartEvent,
  RequestChangeEvent,
  RewindEvent,
  RuleChangeEvent,
  RunEndEvent,
  RunStartEvent,
  StoredEvent,
  TaskChangeEvent,
  TextDeltaEvent,
  ThinkingDeltaEvent,
  ToolCallEvent,
  ToolOutputEvent,
  ToolResultEvent,
  TurnEndEvent,
  TurnStartEvent,
  WarningEvent,
} from "./protocol/events.ts";
export {
  type CommandHook,
  type HookConfiguration,
  type HookEvent,
  type HookGroup,
  type HookProblem,
  type IgnoredHook,
  readHooks,
  type StatedHooks,
} from "./protocol/hook-configuration.ts";
export {
  type Checked,
  type CommitId,
  type LandingId,
  type MemberName,
  type MessageId,
  parseMemberName,
  type RequestId,
  type TaskId,
  type TeamId,
} from "./protocol/ids.ts";
export type { JobRecord } from "./protocol/job.ts";
export type { Landing, LandingCheck, LandingMode, LandingState } from "./protocol/landing.ts";
export type {
  McpCommandServer,
  McpRemoteServer,
  McpServer,
  McpServerFields,
  McpServers,
} from "./protocol/mcp-servers.ts";
export type {
  BroadcastMessage,
  IdleMessage,
  ImageReference,
  LandingDecisionMessage,
  LandingMessage,
  MailPosition,
  McpMessage,
  Message,
  MessageDraft,
  MessageFields,
  ModeMessage,
  PermissionAnswerMessage,
  PermissionMessage,
  PermissionMode,
  PlanAnswerMessage,
  PlanMessage,
  ResultMessage,
  RuleMessage,
  RunOutcome,
  SandboxAnswerMessage,
  SandboxMessage,
  ShutdownAnswerMessage,
  ShutdownMessage,
  TaskMessage,
  TerminatedMessage,
  TextMessage,
  WithdrawMessage,
} from "./protocol/message.ts";
export type {
  PermissionRequest,
  PermissionSubject,
  PlanRequest,
  PlanSubject,
  RequestDecision,
  RequestFields,
  RequestState,
  RequestType,
  ResultRequest,
  ResultSubject,
  ShutdownRequest,
  ShutdownSubject,
  SignedDecision,
  TeamRequest,
} from "./protocol/request.ts";
export type { SandboxMode } from "./protocol/sandbox-mode.ts";
export type { SandboxNetwork } from "./protocol/sandbox-network.ts";
export type {
  Task,
  TaskLease,
  TaskStatus,
} from "./protocol/task.ts";
export type {
  InheritedField,
  MemberEnding,
  MemberRecord,
  MemberServers,
  MemberStatus,
  OwnRules,
  RoleReference,
  RuleChange,
  TeamPermissions,
  TeamRecord,
} from "./protocol/team.ts";
export type { ToolAction, ToolSpec } from "./protocol/tools.ts";
export type {
  CompactionEntry,
  DeliveryEntry,
  EntryFields,
  GapEntry,
  ImagesRefusedEntry,
  InputImage,
  ModelImage,
  NoteEntry,
  ProfileEntry,
  ProviderData,
  ReceivedMail,
  RecordedRunEnd,
  ReplyBlock,
  ReplyEntry,
  RewindEntry,
  RunEndEntry,
  RunSettledEntry,
  RunStartEntry,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolCall,
  ToolCallBlock,
  ToolResult,
  ToolResultEntry,
  ToolStartEntry,
  TranscriptEntry,
} from "./protocol/transcript.ts";
export type {
  CarriedTotal,
  TokenCounts,
  TokenUsage,
  UsageCarried,
  UsageLine,
  UsageRecord,
  UsageReport,
  UsageTotal,
} from "./protocol/usage.ts";
export type { RequestAnswer, RequestDraft, RequestFilter, Requests } from "./requests/requests.ts";
export type { ConsentNeed } from "./roles/consent-needs.ts";
export type {
  BrokenRole,
  FieldNote,
  FoundRole,
  FoundRoles,
  HiddenRole,
  RoleDefinition,
  RoleSource,
} from "./roles/role.ts";
export { type RoleFile, RoleFiles, type RoleFilesOptions } from "./roles/role-files.ts";
export type { Roster } from "./roster/roster.ts";
export type { ExportSummary } from "./server/export/export-run.ts";
export type { SecretMask } from "./server/export/mask-secrets.ts";
export {
  type ExportTeamOptions,
  exportTeam,
  type TeamExport,
  type WriteExportOptions,
} from "./server/export-team.ts";
export { type SecretSources, secretMask } from "./server/secret-mask.ts";
export {
  type DashboardEntrance,
  findDashboard,
  type ServeDashboardOptions,
  type ServedDashboard,
  serveDashboard,
} from "./server/serve-dashboard.ts";
export type {
  TaskBoard,
  TaskChange,
  TaskChangeOptions,
  TaskCompletion,
  TaskDraft,
  TaskPatch,
  TaskRelease,
} from "./tasks/task-board.ts";
export type { AskOptions } from "./team/ask.ts";
export type { CompactOptions } from "./team/conversations.ts";
export { describeTeam } from "./team/describe-team.ts";
export type { DiffStart } from "./team/diff/changes.ts";
export type { FileDiff } from "./team/diff/compare-file.ts";
export {
  type WorkspaceDiff,
  type WorkspaceDiffOptions,
  workspaceDiff,
} from "./team/diff/workspace-diff.ts";
export { exitCodeOf, unfinishedLines } from "./team/exit-code.ts";
export { FileTeamStore } from "./team/file-team-store.ts";
export type {
  CheckoutReview,
  LandingReview,
  SpawnAnswer,
  TaskReview,
  TeamHooks,
} from "./team/hooks/team-hooks.ts";
export type { BroughtWork } from "./team/landings/bring-landed.ts";
export type { LandingChanges } from "./team/landings/landing-changes.ts";
export type { LandingDecision } from "./team/landings/landing-order.ts";
export type { LeftFile } from "./team/landings/place-files.ts";
export { listModels } from "./team/list-models.ts";
export type { GuidanceOptions } from "./team/member-guidance.ts";
export type { OwnSystemPrompt } from "./team/member-prompt.ts";
export type { MemberSeat } from "./team/member-seats.ts";
export type { ForMembers } from "./team/members/member-definition.ts";
export type { SpawnReview } from "./team/members/spawner.ts";
export { MemoryTeamStore } from "./team/memory-team-store.ts";
export type { OpenStoreOptions } from "./team/open-store-parts.ts";
export type { PromptImage, TeamPrompt } from "./team/prompt-images.ts";
export type { MemberMode } from "./team/protocols/member-modes.ts";
export type { MemberModel, ModelSetting } from "./team/protocols/model-choices.ts";
export type { PersonsAnswer } from "./team/protocols/persons-answer.ts";
export type { OnRequest } from "./team/protocols/request-answerer.ts";
export type { ResultInput, ResultSchema } from "./team/protocols/result-schema.ts";
export type { RuleDraft, TeamRule } from "./team/protocols/team-rules.ts";
export type {
  CheckoutRewindPreview,
  CheckoutRewindReport,
} from "./team/rewind/checkout-rewind.ts";
export type { Checkpoint } from "./team/rewind/checkpoints.ts";
export type { FileEffect } from "./team/rewind/file-restore.ts";
export type { RewindOptions, RewindPreview, RewindReport } from "./team/rewind/team-rewind.ts";
export type { ModelAliases } from "./team/roles/role-model.ts";
export type { RolesOption } from "./team/roles/team-roles.ts";
export type { MemberSummary, TeamSummary } from "./team/summary.ts";
export { systemMachine, systemPlace } from "./team/system-place.ts";
export { type BackgroundCommand, Team } from "./team/team.ts";
export type { ExpandedCommand, TeamCommand } from "./team/team-commands.ts";
export type { OpenModel } from "./team/team-models.ts";
export type {
  ApprovalPolicy,
  LandingOptions,
  RuleOption,
  TeamOptions,
} from "./team/team-options.ts";
export type { Machine, TeamPlace } from "./team/team-place.ts";
export type { MemberStore, TeamStore } from "./team/team-store.ts";
export type { ArchivedTeam, TeamDescription } from "./team/view/archived-team.ts";
export { FileTeamView } from "./team/view/file-team-view.ts";
export type {
  ArchivedTeamView,
  CheckoutContents,
  CleanedCheckouts,
  FollowEvents,
  FollowTranscript,
  ListedEntry,
  ListedMail,
  MailPage,
  MailQuery,
  MemberUsage,
  PageCursor,
  TeamActions,
  TeamChange,
  TeamView,
  TranscriptPage,
  TranscriptQuery,
  UsagePage,
  UsageQuery,
} from "./team/view/team-view.ts";
export {
  observeWithOpenTelemetry,
  type TelemetryOptions,
} from "./telemetry/observe-with-open-telemetry.ts";
export type { TelemetryEnvironment } from "./telemetry/wants-telemetry.ts";
export type { SpawnRequest } from "./tools/team/team-access.ts";
export {
  defineTool,
  type InvalidCall,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolInput,
  type ToolOutput,
} from "./tools/tool.ts";
export type { Transcript, TranscriptReader } from "./transcript/transcript.ts";
export type {
  ChangeHistory,
  ComingChange,
  KnownChange,
  KnownChanges,
  NotedChange,
} from "./workspace/change-history.ts";
