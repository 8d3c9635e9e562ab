/**
 * The owner's rules for a device: `device.rules.json`, mode 0600 in the device's state folder. The hub grants tools;
 * these rules narrow the grants and make the final decision. Of the rules that match, `deny` wins over `ask`, and `ask`
 * over `allow`. Spec: reference/devices.md "Consent", "D7: allow rules".
 */
import { Result, Schema } from "effect"
import { filesMax } from "./device-plan.ts"
import { runsProjectCode } from "./device-project-programs.ts"
import { runningMax } from "./device-protocol.ts"
import { askPlaces, networkModes, sandboxModes, settledRules } from "./device-rule-defaults.ts"
import { Tool } from "./device-tools.ts"
import { matching } from "./pattern.ts"

export const rulesMax = 1_000
const patternsMax = 512
const timeoutSecondsRuleMax = 21_600

export const RuleEffect = Schema.Literals(["allow", "ask", "deny"])
export type RuleEffect = typeof RuleEffect.Type

const Path = Schema.String.check(
  Schema.isMaxLength(4_096),
  matching(/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/u, "an absolute path")
)
const VariableName = Schema.String.check(
  matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, "a variable name: letters, digits and _, not beginning with a digit")
)

/**
 * Programs that only read and print, with any arguments: only for these may an `allow` rule give arguments as patterns.
 * `find`, `git`, `tar`, `ssh`, `awk`, `sed`, `sort`, `npm`, `make`, and similar programs can start other programs.
 */
export const plainPrograms: ReadonlySet<string> = new Set([
  "basename",
  "cat",
  "cksum",
  "cmp",
  "cut",
  "df",
  "dirname",
  "du",
  "echo",
  "false",
  "free",
  "grep",
  "head",
  "id",
  "ls",
  "lscpu",
  "md5sum",
  "nproc",
  "pgrep",
  "printf",
  "ps",
  "pwd",
  "readlink",
  "realpath",
  "sha256sum",
  "sha512sum",
  "sleep",
  "stat",
  "tail",
  "tr",
  "true",
  "uname",
  "uptime",
  "wc",
  "whoami"
])

const shells = [
  "ash",
  "bash",
  "csh",
  "dash",
  "elvish",
  "fish",
  "ksh",
  "mksh",
  "nu",
  "powershell",
  "pwsh",
  "rbash",
  "sh",
  "tcsh",
  "xonsh",
  "zsh",
  "cmd"
]
const interpreters = [
  "awk",
  "bc",
  "bun",
  "dc",
  "deno",
  "ed",
  "emacs",
  "ex",
  "expect",
  "gawk",
  "gdb",
  "ghci",
  "groovy",
  "guile",
  "irb",
  "java",
  "jjs",
  "jshell",
  "julia",
  "lua",
  "luajit",
  "m4",
  "mawk",
  "nawk",
  "node",
  "nodejs",
  "npx",
  "osascript",
  "perl",
  "php",
  "psql",
  "python",
  "python2",
  "python3",
  "rscript",
  "ruby",
  "scala",
  "sed",
  "sqlite3",
  "tclsh",
  "vi",
  "view",
  "vim",
  "wish"
]
const wrappers = [
  "busybox",
  "capsh",
  "chpst",
  "chroot",
  "chrt",
  "command",
  "dbus-run-session",
  "doas",
  "docker",
  "env",
  "eval",
  "exec",
  "fakeroot",
  "firejail",
  "flatpak-spawn",
  "flock",
  "ionice",
  "ld.so",
  "ltrace",
  "machinectl",
  "nice",
  "nohup",
  "nsenter",
  "numactl",
  "parallel",
  "perf",
  "pkexec",
  "podman",
  "prlimit",
  "proot",
  "rlwrap",
  "run-parts",
  "runuser",
  "script",
  "setarch",
  "setpriv",
  "setsid",
  "ssh",
  "start-stop-daemon",
  "stdbuf",
  "strace",
  "su",
  "sudo",
  "systemd-run",
  "taskset",
  "time",
  "timeout",
  "tmux",
  "toybox",
  "unshare",
  "valgrind",
  "watch",
  "xargs",
  "xvfb-run"
]
const readers: ReadonlySet<string> = new Set([...shells, ...interpreters])
const starters: ReadonlySet<string> = new Set(wrappers)

const isOneOf = (names: ReadonlySet<string>, program: string): boolean => {
  const name = nameOf(program).toLowerCase().replace(/\.exe$/, "")
  return names.has(name) || names.has(name.replace(/[-.\d]+$/, ""))
}

/** Shells and interpreters: their first file argument is a script. */
export const readsScript = (program: string): boolean => isOneOf(readers, program)

/**
 * Shells, interpreters, and wrappers run any program that their arguments name: a rule cannot allow them in general.
 */
export const isUnbound = (program: string): boolean =>
  readsScript(program) || isOneOf(starters, program) || /^ld-(?:linux|musl)/u.test(nameOf(program).toLowerCase())

const nameOf = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)

const hasPattern = (argument: string): boolean => argument.includes("*")

const Rule = Schema.Struct({
  effect: RuleEffect,
  tool: Tool,
  /**
   * For `shell.run`: the program, by name (as found in the agent's own short PATH) or absolute path, and each argument.
   * In `deny` and `ask`, `*` matches any text and a last `**` any further arguments; in `allow`, only after a program
   * that only reads and prints.
   */
  argv: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(4_096))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(patternsMax)
    )
  ),
  /** Only below this directory, with links resolved. */
  root: Schema.optionalKey(Path),
  /** For `shell.run`, in `allow`: variables that the command may set. Other variables require approval. */
  env: Schema.optionalKey(Schema.Array(VariableName).check(Schema.isMaxLength(128))),
  /** In `allow`: an agent may repeat the same call without limit; otherwise the third in a row requires approval. */
  repeats: Schema.optionalKey(Schema.Boolean),
  /**
   * For `shell.run`, in `allow`: files that the command runs, with the SHA-256 that the owner allowed. A program or
   * script in a root, and one that an argument names, is allowed only with its pin, and requires approval once it
   * changed.
   */
  pins: Schema.optionalKey(
    Schema.Array(Schema.Struct({
      path: Path,
      sha256: Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits"))
    })).check(Schema.isMaxLength(filesMax))
  ),
  /**
   * For `shell.run`, in `allow`: the owner lets `make`, `npm`, and similar programs run any code of the project in the
   * root, and files that arguments name need no pin.
   */
  project_code: Schema.optionalKey(Schema.Boolean),
  /**
   * For `shell.run`, in `allow` and `ask`, inside the sandbox: whether the program has a network, for any requester.
   */
  network: Schema.optionalKey(Schema.Literals(["on", "off"])),
  note: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(500)))
}).check(Schema.makeFilter((rule) => {
  if (rule.argv !== undefined && rule.tool !== "shell.run") return "argv belongs to shell.run"
  if (rule.network !== undefined && rule.tool !== "shell.run") return "network belongs to shell.run"
  if ((rule.pins ?? rule.project_code) !== undefined && (rule.tool !== "shell.run" || rule.effect !== "allow")) {
    return "pins and project_code belong to an allow rule of shell.run"
  }
  if (rule.tool !== "shell.run" || rule.effect !== "allow") return undefined
  const [program, ...rest] = rule.argv ?? []
  if (program === undefined) return "shell.run requires argv in an allow rule"
  if (isUnbound(program)) return `${program} runs whatever its arguments say: it cannot be allowed permanently`
  if (hasPattern(program)) return "the program of an allow rule must not be a pattern"
  if (!plainPrograms.has(nameOf(program)) && rest.at(-1) === "**") {
    return `${program} can start other programs: list each of its arguments`
  }
  return undefined
}))
export type DeviceRule = typeof Rule.Type

export const DeviceRules = Schema.Struct({
  version: Schema.Literal(1),
  /** The place to ask for `ask` rules. Where no person can answer, the command is denied. */
  ask_via: Schema.optionalKey(Schema.Literals(askPlaces)),
  rules: Schema.Array(Rule).check(Schema.isMaxLength(rulesMax)),
  /** May exceed 600. */
  timeout_seconds_max: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutSecondsRuleMax }))
  ),
  /** The most commands at once. */
  concurrency: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: runningMax }))),
  sandbox: Schema.optionalKey(Schema.Literals(sandboxModes)),
  /**
   * Inside the sandbox: files and directories below hidden ones that commands may read, such as a toolchain in a home
   * directory.
   */
  sandbox_readable: Schema.optionalKey(Schema.Array(Path).check(Schema.isMaxLength(64))),
  /**
   * The network of programs in the sandbox, unless a rule overrides it. Default `people`: programs that an agent
   * requested have none.
   */
  network: Schema.optionalKey(Schema.Literals(networkModes)),
  /** MiB for each process of a command, where the system can enforce it. */
  memory_mb_max: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 1_048_576 }))),
  /** Variables of the agent's own environment that commands get besides the short list. */
  environment: Schema.optionalKey(Schema.Array(VariableName).check(Schema.isMaxLength(64))),
  /** Private addresses that `http.get` may call: hosts, addresses, or CIDRs, with or without a port. */
  net: Schema.optionalKey(
    Schema.Struct({ allow: Schema.Array(Schema.String.check(Schema.isMaxLength(300))).check(Schema.isMaxLength(256)) })
  )
}).annotate({ identifier: "DeviceRules" })
export type DeviceRules = typeof DeviceRules.Type

export const noRules: DeviceRules = { version: 1, rules: [] }

const decode = Schema.decodeUnknownResult(DeviceRules, { onExcessProperty: "error" })

/** The rules of a file, or its problem in one line. */
export const parseRules = (text: string): { readonly rules: DeviceRules } | { readonly problem: string } => {
  try {
    return Result.match(decode(JSON.parse(text)), {
      onSuccess: (rules) => ({ rules }),
      onFailure: (error) => ({ problem: error.message.split("\n").map((line) => line.trim()).join(" ") })
    })
  } catch {
    return { problem: "it is not JSON" }
  }
}

/** The action to judge, with every link resolved. */
export interface Deed {
  readonly tool: Tool
  /** The working directory of a program, or the path of a file tool. Absent: the action has no place. */
  readonly place?: string
  readonly program?: {
    readonly argv: ReadonlyArray<string>
    /** The path at which the program was found. */
    readonly path: string
    /** The real path, with links resolved. */
    readonly realPath: string
    /** Requested by a bare name, and found in the agent's own PATH. */
    readonly bare: boolean
    readonly env: ReadonlyArray<string>
    /**
     * Files that it runs, where commands could change them or a rule pins them. `isArgument`: named by an argument, not
     * by the program.
     */
    readonly files?: ReadonlyArray<
      { readonly path: string; readonly sha256: string; readonly inRoot: boolean; readonly isArgument: boolean }
    >
    /** No rule may allow it: the rules require a sandbox and there is none, or it runs a file that no pin binds. */
    readonly requiresApproval?: boolean
  }
}

export interface Verdict {
  readonly effect: RuleEffect
  /** The index of the rule in the file; absent for the default. */
  readonly rule?: number
}

/** Whether a program in the sandbox has a network: by the matching rule, otherwise by the requester. */
export const hasNetwork = (rules: DeviceRules, { rule }: Verdict, isAgent: boolean): boolean => {
  const wanted = (rule === undefined ? undefined : rules.rules[rule]?.network) ?? settledRules(rules).network
  return wanted === "on" || (wanted === "people" && !isAgent)
}

const matcher = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*")}$`, "u")

const matchesWords = (patterns: ReadonlyArray<string>, words: ReadonlyArray<string>, literal: boolean): boolean => {
  const open = !literal && patterns.at(-1) === "**"
  const fixed = open ? patterns.slice(0, -1) : patterns
  return (open ? words.length >= fixed.length : words.length === fixed.length) &&
    fixed.every((pattern, at) =>
      literal || !hasPattern(pattern) ? pattern === words[at] : matcher(pattern).test(words[at] ?? "")
    )
}

const isBelow = (root: string, place: string): boolean => {
  const base = root.length > 1 ? root.replace(/[\\/]+$/, "") : root
  return place === base || place.startsWith(base.endsWith("/") ? base : `${base}/`) || place.startsWith(`${base}\\`)
}

const matchesProgram = (rule: DeviceRule, program: NonNullable<Deed["program"]>): boolean => {
  const [wanted, ...patterns] = rule.argv ?? []
  if (wanted === undefined) return true
  const [asked = "", ...words] = program.argv
  if (rule.effect !== "allow") {
    return [asked, nameOf(asked), program.path, nameOf(program.path), program.realPath, nameOf(program.realPath)].some((
      name
    ) => matchesWords([wanted], [name], false)) &&
      matchesWords(patterns, words, false)
  }
  const names = [asked, program.path, program.realPath]
  if (names.some(isUnbound) || program.requiresApproval === true || !pinsHold(rule, program)) return false
  if (rule.project_code !== true && names.some((name) => runsProjectCode(nameOf(name)))) return false
  const same = wanted.includes("/") || wanted.includes("\\")
    ? wanted === program.path || wanted === program.realPath
    : program.bare && wanted === asked
  return same && program.env.every((name) => rule.env?.includes(name) === true) &&
    matchesWords(patterns, words, !plainPrograms.has(nameOf(program.realPath)))
}

/** Files in a root, which commands can change, run only with the owner's pins. */
const pinsHold = ({ pins = [], project_code }: DeviceRule, { files = [] }: NonNullable<Deed["program"]>): boolean =>
  files.every(({ inRoot, isArgument, path, sha256 }) => {
    const pin = pins.find((pin) => pin.path === path)
    return pin === undefined ? !inRoot || (isArgument && project_code === true) : pin.sha256 === sha256
  })

const strictness = { allow: 0, ask: 1, deny: 2 } as const

/** The strictest verdict of the matching rules; without one, `ask`. */
export const judge = (rules: DeviceRules, deed: Deed): Verdict => {
  let verdict: Verdict | undefined
  for (const [at, rule] of rules.rules.entries()) {
    if (rule.tool !== deed.tool) continue
    if (rule.root !== undefined && (deed.place === undefined || !isBelow(rule.root, deed.place))) continue
    if (deed.program !== undefined && !matchesProgram(rule, deed.program)) continue
    if (verdict === undefined || strictness[rule.effect] > strictness[verdict.effect]) {
      verdict = { effect: rule.effect, rule: at }
    }
  }
  return verdict ?? { effect: "ask" }
}
