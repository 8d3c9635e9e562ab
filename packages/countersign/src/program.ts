/** The command line: all commands, and the exit code. Spec: reference/command-line.md "Exit codes". */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit } from "effect"
import * as Argument from "effect/cli/Argument"
import { isCliError } from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import { approvals } from "./approvals.ts"
import { chat } from "./chat.ts"
import { globalFlags } from "./define.ts"
import { balance, dispatch, estimate, requests } from "./dispatch.ts"
import { exitCodes } from "./exit.ts"
import { mcp } from "./mcp.ts"
import {
  agents,
  apps,
  audit,
  budgets,
  devices,
  events,
  keys,
  policies,
  secrets,
  services,
  standing,
  usage,
  webhooks,
  workspaces
} from "./nouns.ts"
import { config, open } from "./settings.ts"
import { login, logout, whoami } from "./sign-in.ts"

const version = "0.2.0"
const shells = ["bash", "zsh", "fish"] as const

/** Separate programs, which `bin` starts; named here for help and completion. */
const program = (name: string, description: string) =>
  Command.make(
    name,
    { args: Argument.String("args").pipe(Argument.variadic()) },
    () => Console.error(`Run it as: countersign ${name}`)
  ).pipe(Command.withDescription(description))

const completion = Command.make(
  "completion",
  { shell: Argument.Literals("shell", shells) },
  ({ shell }): Effect.Effect<void> =>
    Console.log(Completions.generate("countersign", shell, Completions.fromCommand(countersign)))
).pipe(Command.withDescription("Print the completion script of a shell: bash, zsh, or fish."))

const countersign = Command.make("countersign").pipe(
  Command.withDescription("Dispatch paid actions, decide approvals, and run a hub."),
  Command.withSubcommands([
    login,
    logout,
    whoami,
    agents,
    keys,
    dispatch,
    estimate,
    requests,
    approvals,
    standing,
    policies,
    services,
    secrets,
    budgets,
    balance,
    audit,
    usage,
    chat,
    events,
    apps,
    webhooks,
    devices,
    workspaces,
    mcp,
    completion,
    config,
    open,
    program("device", "Run this computer as a device of the hub."),
    program("start", "Start a hub, and serve until SIGTERM or Ctrl-C."),
    program("hub", "Run a command of the hub, such as backup.")
  ]),
  Command.withGlobalFlags(globalFlags)
)

/** Runs the command line, and sets the exit code. */
export const runCommand = async (args: ReadonlyArray<string>): Promise<void> => {
  process.once("SIGINT", () => process.exit(exitCodes.interrupted))
  // A reader that closes its end, such as `head`, ends the command.
  process.stdout.on("error", () => process.exit(exitCodes.success))
  const run = Command.runWith(countersign, { version })
  // Help is data if it was requested, and a note if it explains a mistake.
  const lines: Array<string> = []
  const collected = {
    ...globalThis.console,
    log: (...words: ReadonlyArray<unknown>) => void lines.push(words.join(" "))
  }
  const exit = await Effect.runPromiseExit(
    run(args).pipe(Effect.provideService(Console.Console, collected), Effect.provide(NodeServices.layer))
  )
  const text = lines.map((line) => `${line}\n`).join("")
  if (Exit.isSuccess(exit)) return void process.stdout.write(text)
  process.stderr.write(text)
  const error = Cause.squash(exit.cause)
  process.exitCode = isCliError(error) ? exitCodes.usage : exitCodes.error
  if (!isCliError(error)) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
}
