/** What each exit code means, for the pages that tell. */
export const exitCodeTable = `| exit | meaning |
|---|---|
| 0 | done |
| 1 | unrecoverable error: the provider, a missing or rejected key, the disk |
| 2 | wrong usage or configuration; nothing on standard output |
| 3 | ended with unfinished work: a failed member, a task neither completed nor cancelled, an undecided request |
| 4 | stopped by a limit or budget of the lead or the team (\`--max-turns\`, \`--max-cost\`, \`--timeout\`) |
| 9 | the file of \`--env-file\` does not exist: Node 20 looks for it itself, before troupe starts |
| 130, 143 | SIGINT, SIGTERM |`;
