/** How a program takes program text, so that a value of the model's can be kept out of it (B3). */
export interface CodeRule {
  /** An option whose value (attached, or the next argument) is program text or names a program. */
  readonly option?: RegExp
  /** The same, but only before the first operand: what follows a script's name is the script's. */
  readonly leadingOption?: RegExp
  /** Options without program text whose value is the next argument. */
  readonly valued?: RegExp
  /** The first operand is program text, unless an option gave it already. */
  readonly firstOperand?: boolean
  /** Where the text of an option ends. Default: with one argument. */
  readonly until?: RegExp
  /** All after the first operand goes to a shell elsewhere. */
  readonly remote?: boolean
  /** Runs the program that its arguments name. */
  readonly wrapper?: boolean
  /** Reads program text from standard input: when there is no operand, or whatever its operands are. */
  readonly fromStdin?: 'without-operand' | 'always'
  /** An argument with which program text can do no harm. */
  readonly harmlessWith?: string
}

const shell: CodeRule = {
  leadingOption: /^-[a-zA-Z]*c[a-zA-Z]*$|^--command(=|$)/,
  valued: /^[-+][oO]$/,
  fromStdin: 'without-operand',
}
const windowsShell: CodeRule = {
  leadingOption: /^[-/](c|k|command|encodedcommand|ec?)/i,
  firstOperand: true,
  fromStdin: 'without-operand',
}
const script: CodeRule = {
  leadingOption: /^-[a-zA-Z]*[eEpr](.|$)|^--(eval|print|require|import|execute|run)(=|$)/,
  valued: /^-[CI]$|^--(conditions|loader|env-file)$/,
  fromStdin: 'without-operand',
}
const python: CodeRule = {
  leadingOption: /^-[a-zA-Z]*c(.|$)/,
  valued: /^-[WX]$/,
  fromStdin: 'without-operand',
}
const awk: CodeRule = {
  option: /^-[ef](.|$)|^--(source|file)(=|$)/,
  valued: /^-[Fv]$/,
  firstOperand: true,
}
const wrapper: CodeRule = { wrapper: true }

/**
 * Which programs take program text, and how; by the documentation of each. That the options take effect was
 * tried for git, tar, find, ssh, curl, sort, sed, awk, rg, env, python, node and zip.
 */
const codeRules: { readonly [program: string]: CodeRule } = {
  ...same('sh bash dash ash zsh ksh mksh fish csh tcsh', shell),
  ...same('cmd powershell pwsh', windowsShell),
  ...same('python pypy', python),
  ...same('node ruby lua tclsh Rscript osascript', script),
  // `-MName;text` is text after `use` (perlrun).
  perl: {
    ...script,
    leadingOption: /^-[a-zA-Z]*[eEpr](.|$)|^-[a-zA-Z]*[mM]$/,
  },
  php: {
    ...script,
    leadingOption: /^-[a-zA-Z]*[BERr](.|$)|^--(run|process-(begin|code|end))(=|$)/,
  },
  // Words of their own: the text behind them is run, or the program that it names.
  deno: { ...script, option: /^eval$/ },
  bun: { ...script, option: /^(exec|x)$/ },
  ...same('awk gawk mawk nawk', awk),
  ...same(
    'xargs parallel nice ionice nohup setsid timeout stdbuf time watch sudo doas chroot taskset unshare strace ltrace busybox npx bunx pnpx uvx pipx',
    wrapper,
  ),
  env: { wrapper: true, option: /^(-S|--split-string)/ },
  sed: {
    option: /^-[a-zA-Z]*[ef](.|$)|^--(expression|file)(=|$)/,
    firstOperand: true,
    harmlessWith: '--sandbox',
  },
  find: { option: /^-(exec|execdir|ok|okdir)$/, until: /^(;|\+)$/ },
  ssh: { option: /^-[a-zA-Z]*[oFJ](.|$)/, valued: /^-[bcDEeIiLlmOpQRSWw]$/, remote: true },
  scp: { option: /^-[a-zA-Z]*[oFSJ](.|$)/ },
  rsync: { option: /^-[a-zA-Z]*e(.|$)|^--(rsh|rsync-path)(=|$)/ },
  git: {
    leadingOption: /^-c(.|$)|^--(exec-path|config-env)(=|$)/,
    option: /^-O(.|$)|^--(upload-pack|receive-pack|exec|extcmd|open-files-in-pager)(=|$)/,
    valued: /^(-C|--git-dir|--work-tree|--namespace)$/,
  },
  tar: {
    option:
      /^-[IF](.|$)|^--(to-command|checkpoint-action|use-compress-program|info-script|new-volume-script|rsh-command|rmt-command)(=|$)/,
  },
  zip: { option: /^-TT(.|$)|^--unzip-command(=|$)/ },
  sort: { option: /^--compress-program(=|$)/ },
  rg: { option: /^--(pre|hostname-bin)(=|$)/ },
  curl: { option: /^-[a-zA-Z]*K(.|$)|^--config(=|$)/ },
  // Variables on the command line are expanded, `X:=$(shell …)` too (GNU make manual, "Overriding Variables").
  ...same('make gmake', { option: /^--eval(=|$)/, firstOperand: true, remote: true }),
  // Commands with a dot or `\\!` run programs (sqlite.org/cli, psql and mysql manuals).
  sqlite3: { option: /^--?cmd$/, remote: true, fromStdin: 'always', harmlessWith: '-safe' },
  psql: { option: /^-[a-zA-Z]*[cf](.|$)|^--(command|file)(=|$)/, fromStdin: 'always' },
  ...same('mysql mariadb', { option: /^-[a-zA-Z]*e(.|$)|^--execute(=|$)/, fromStdin: 'always' }),
  ...same('vi vim nvim view ex', { option: /^\+|^-[cS](.|$)|^--cmd$/, fromStdin: 'always' }),
  ed: { fromStdin: 'always' },
  emacs: { option: /^--?(eval|execute|load|script|funcall|[efl])(=|$)/ },
  gdb: { option: /^--?(ex|iex|x|ix|eval-command|command)(=|$)/, fromStdin: 'always' },
  socat: { firstOperand: true, remote: true },
  ...same('nc ncat netcat', { option: /^-[a-zA-Z]*[ec](.|$)|^--(exec|sh-exec|lua-exec)(=|$)/ }),
  ...same('su runuser script', { option: /^-[a-zA-Z]*c(.|$)|^--(command|session-command)(=|$)/ }),
  flock: { option: /^-[a-zA-Z]*c(.|$)|^--command(=|$)/ },
  ...same('at batch crontab', { fromStdin: 'always' }),
  ...same('julia elixir gnuplot R', { option: /^-[a-zA-Z]*[eE](.|$)|^--(eval|print)(=|$)/ }),
  erl: { option: /^-(eval|run|s)$/ },
  expect: { option: /^-[a-zA-Z]*c(.|$)/, fromStdin: 'without-operand' },
  dc: { option: /^-[a-zA-Z]*e(.|$)|^--expression(=|$)/, fromStdin: 'without-operand' },
  m4: { fromStdin: 'without-operand' },
}

/** The rule of a program by its path or name; version suffixes (python3.12) do not matter. */
export function codeRuleOf(program: string): CodeRule | undefined {
  const name = baseName(program)
  return own(name) ?? own(name.replace(/[0-9][0-9.]*$/, ''))
}

/** Whether a word among the arguments of a wrapper can be the program: no option, number or assignment. */
export function namesProgram(word: string): boolean {
  return /^[^-\d=][^=]*$/.test(word)
}

/** The last part of a path, without `.exe`. */
export function baseName(program: string): string {
  return program
    .slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
    .replace(/\.exe$/i, '')
}

function own(name: string): CodeRule | undefined {
  return Object.hasOwn(codeRules, name) ? codeRules[name] : undefined
}

function same(names: string, rule: CodeRule): { readonly [program: string]: CodeRule } {
  return Object.fromEntries(names.split(' ').map((name) => [name, rule]))
}
