import type { Disposables } from "../lib/disposables.ts";
import { lead, user } from "../protocol/ids.ts";
import type { Equipment } from "./equipment.ts";
import type { LeadSettings } from "./members/member-definition.ts";
import { checkGiven, checkMember, keepWhole, openMember } from "./open-member.ts";
import { type OnRequest, RequestAnswerer } from "./protocols/request-answerer.ts";
import { Supervisor } from "./supervisor.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";
import { LateTable, openCrons } from "./team-crons.ts";
import { defaults, type OpenTeamOptions, toolNamesOf } from "./team-options.ts";
import { teamToolsFor } from "./team-tools-for.ts";

/** The options of the program, and what was made of them. */
type SupervisorSetup = OpenTeamOptions & {
  settings: LeadSettings;
  /** What is closed with the team. */
  opened: Disposables;
};

/** Opens the members of a team, and its crons. */
export async function openSupervisor(
  equipment: Equipment,
  { settings, opened, ...options }: SupervisorSetup,
): Promise<Supervisor> {
  const { store, secrets, place, layout, models, checkouts, roles } = equipment;
  const { structuredResults: hasResults = false, approvals, onRequest } = options;
  const crons = new LateTable();
  const hasRoles = await roles.areAny();
  const supervisor = await Supervisor.open({
    ...{ store, secrets, checkouts, roles, keepWhole, clock: place.clock, lead: settings },
    hooks: () => equipment.hooks,
    commandHooks: () => equipment.commandHooks,
    openMember: (definition, context) => openMember(equipment, definition, context),
    checkMember: (definition) => checkMember(equipment, definition),
    checkGiven: (definition) => checkGiven(equipment, definition),
    teamTools: (self, team) => (own) =>
      teamToolsFor(self, { supervisor: team, timetable: crons, own, hasResults, hasRoles }),
    toolNames: settings.memberTools?.teammates ?? toolNamesOf(options),
    checkModel: (id) => models.check(id),
    resolveModel: (id) => models.resolve(id),
    effortProblem: (list, effort) => models.effortProblem(list, effort),
    outputs: layout.outputs,
    autoclaim: options.autoclaim ?? defaults.autoclaim,
    maxTeammates: options.maxTeammates ?? defaults.maxTeammates,
    landing: landingParts(equipment, { ...options, root: settings.root }),
    graceMs: options.shutdownGraceMs ?? defaults.shutdownGraceMs,
    planApprover: (options.planApproval ?? defaults.planApproval) === "user" ? user : lead,
    waitsForPerson: onRequest !== undefined || approvals?.unattended === undefined,
    onWarning: (message) => place.onWarning(message),
  });
  opened.use({ [Symbol.asyncDispose]: () => supervisor.leave() });
  crons.table = opened.use(await openCrons(equipment, supervisor));
  return supervisor;
}

function landingParts(
  equipment: Equipment,
  { root, landing = {} }: Pick<SupervisorSetup, "landing"> & { root: string },
): SupervisorOptions["landing"] {
  const { checkouts } = equipment;
  const { check, checkTimeoutMs = defaults.checkTimeoutMs } = landing;
  return {
    mode: landing.mode ?? (check === undefined ? "never" : "auto"),
    // What was kept when nothing could be handed in, as at the end of the process, is handed in with what is kept next.
    keep: async (member) => (await checkouts.keep(member)) ?? (await checkouts.latest(member)),
    async openWorks(parts) {
      const { openLandingWorks } = await import("./landings/open-landing-works.ts");
      return openLandingWorks(equipment, { root, check, checkTimeoutMs }, parts);
    },
  };
}

/** Has the program answer the requests to the person, from those on that are open already. */
export async function startAnswerer(
  { options, protocols }: Supervisor,
  onRequest: OnRequest,
  { approvals, opened }: Pick<SupervisorSetup, "approvals" | "opened">,
): Promise<void> {
  const { store, onWarning } = options;
  const { post, hub } = protocols;
  const answerer = new RequestAnswerer({
    ...{ requests: store.requests, post, onRequest, unattended: approvals?.unattended },
    // An event, too: a program may have no onWarning.
    onWarning: (message) => {
      onWarning(message);
      hub.say({ type: "warning", message });
    },
  });
  await opened.use(answerer).start();
}
