import { z } from "zod";
import type { Command } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";

const Shell = z.enum(["bash", "zsh", "fish"]);

export const completion: Command = {
  name: "completion",
  group: "set up",
  summary: "Print a completion script for your shell",
  parameters: ["<bash|zsh|fish>"],
  options: {},
  examples: [
    { call: "echo 'source <(troupe completion bash)' >> ~/.bashrc", does: "for bash" },
    {
      call: "echo 'source <(troupe completion zsh)' >> ~/.zshrc",
      does: "for zsh, after compinit",
    },
    {
      call: "troupe completion fish > ~/.config/fish/completions/troupe.fish",
      does: "for fish",
    },
  ],

  async run({ positionals: [name] }, io) {
    const shell = Shell.safeParse(name);
    if (!shell.success) throw wrongUsage(`Unknown shell: ${name}`, completion);
    io.out(scripts[shell.data]);
    return 0;
  },
};

/** Each script asks troupe itself, which knows the members and the open requests. */
const scripts: Readonly<Record<z.infer<typeof Shell>, string>> = {
  bash: `_troupe() {
  local IFS=$'\\n'
  COMPREPLY=($(troupe __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _troupe troupe`,
  zsh: `#compdef troupe
_troupe() {
  local -a found
  found=("\${(@f)$(troupe __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _troupe troupe`,
  fish: `function __troupe_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -e words[1]
  troupe __complete -- $words "$current" 2>/dev/null
end
complete -c troupe -a '(__troupe_complete)'`,
};
