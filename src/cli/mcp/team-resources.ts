import type { ListedResource, ServedResources } from "../../mcp-server/open-server.ts";
import { findMember, memberNames } from "../../team/find-member.ts";
import { taskList, taskText, teamText, transcriptPage } from "./look-tools.ts";
import { mailPage } from "./mail-tools.ts";
import type { PersonAccess } from "./person-access.ts";

/** The team as texts that a client can attach: the same that the tools return. */
export function teamResources(access: PersonAccess): ServedResources {
  return {
    list: () => listed(access),
    async read(uri) {
      const text = await read(access, uri);
      return text === undefined ? undefined : access.belowWarnings(text);
    },
  };
}

async function listed(access: PersonAccess): Promise<ListedResource[]> {
  const view = await access.view();
  const names = memberNames(await view.team()).slice(0, mostListed);
  const tasks = (await view.tasks()).slice(-mostListed);
  return [
    { uri: "troupe://team", name: "team", description: "The members and their status" },
    { uri: "troupe://tasks", name: "tasks", description: "The task board" },
    ...tasks.map(({ id }) => ({
      uri: `troupe://tasks/${id}`,
      name: `task ${id}`,
      description: `Task ${id} in full`,
    })),
    ...names.flatMap((name) => [
      {
        uri: `troupe://mailboxes/${name}`,
        name: `mail of ${name}`,
        description: `The newest mail of ${name}`,
      },
      {
        uri: `troupe://transcripts/${name}`,
        name: `transcript of ${name}`,
        description: `What ${name} saw, said and did lately`,
      },
    ]),
  ];
}

const mostListed = 50;

async function read(access: PersonAccess, uri: string): Promise<string | undefined> {
  const [, kind, id] = /^troupe:\/\/([a-z]+)(?:\/([a-z0-9_-]+))?$/.exec(uri) ?? [];
  if (kind === "team" && id === undefined) return teamText(access);
  if (kind === "tasks") {
    return id === undefined ? taskList(access) : taskText(await access.view(), id);
  }
  if (id === undefined) return undefined;
  const view = await access.view();
  const owner = async () => findMember(await view.team(), id);
  if (kind === "mailboxes") return mailPage(view, await owner(), { limit: 20 });
  if (kind === "transcripts") return transcriptPage(view, await owner(), { limit: 30 });
  return undefined;
}
