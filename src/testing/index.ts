export { callTool, toolContext } from "./call-tool.ts";
export { ManualClock } from "./manual-clock.ts";
export {
  type AnswerDelivery,
  type BrokenReply,
  breaksOff,
  cut,
  type DeliveredAnswer,
  inPieces,
  type RawAnswer,
  raw,
  type ScriptedAnswer,
  type StatusAnswer,
  type StreamAnswer,
  stall,
  status,
} from "./provider-server/answers.ts";
export type { ProviderRequest, RequestBody } from "./provider-server/provider-api.ts";
export { ProviderServer, type ProviderServerOptions } from "./provider-server/provider-server.ts";
export {
  calls,
  fails,
  hangs,
  reply,
  ScriptedModel,
  type ScriptedParts,
  type ScriptedReply,
  type ScriptStep,
  says,
  streams,
  thinks,
  thinksInSecret,
} from "./scripted-model.ts";
export { type TemporaryDirectory, temporaryDirectory } from "./temporary-directory.ts";
