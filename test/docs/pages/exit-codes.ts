/** What each exit code means, for the pages that tell. */
export const exitCodeTable = `| exit | meaning |
|---|---|
| 0 | done |
| 1 | an error that troupe could not get over: the provider, a missing or refused key, the disk |
| 2 | wrong usage or configuration; nothing on standard output |
| 3 | ended with work unfinished: a failed member, a task neither completed nor cancelled, an undecided request |
| 4 | a limit or budget of the lead or the team ended it (\`--max-turns\`, \`--max-cost\`, \`--timeout\`) |
| 130, 143 | SIGINT, SIGTERM |`;
