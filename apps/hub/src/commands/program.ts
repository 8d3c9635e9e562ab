/** The hub's commands. Each loads its modules when it runs. */
import { apiVersion } from "@countersign/domain/discovery"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Option, Schema } from "effect"
import * as Argument from "effect/cli/Argument"
import { isCliError } from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { constants } from "node:os"
import { failureOf } from "../failure.ts"
import { warningsOnStandardError } from "./output.ts"

const lazily = <A, E, R>(load: () => Promise<Effect.Effect<A, E, R>>): Effect.Effect<A, E, R> =>
  Effect.flatten(Effect.promise(load))

const number = (name: string, maximum: number, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))),
    Flag.withDefault(fallback),
    Flag.withDescription(`${description} (${fallback})`)
  )
const requestsMax = 100_000
const connectionsMax = 1_000
const capCentsMax = 1_000_000

const start = Command.make("start", {}, () =>
  lazily(async () => {
    const { start } = await import("../start.ts")
    start()
    // The hub ends the process itself.
    return Effect.never
  })).pipe(
    Command.withDescription("Start the hub, and serve until SIGTERM or Ctrl-C. Settings come from the environment.")
  )

const migrate = Command.make("migrate", {}, () => lazily(async () => (await import("./migrate.ts")).run)).pipe(
  Command.withDescription("Migrate the database to this version, as a start does.")
)

const doctor = Command.make("doctor", {}, () => lazily(async () => (await import("./doctor.ts")).run)).pipe(
  Command.withDescription(
    "Prove that money, requests, and audit agree, with or without a running hub. Exits with 1 if a check fails."
  )
)

const openapi = Command.make("openapi", {}, () => lazily(async () => (await import("./openapi.ts")).run)).pipe(
  Command.withDescription("Print the OpenAPI document.")
)

const buildConsole = Command.make("console", {}, () => lazily(async () => (await import("./console.ts")).run)).pipe(
  Command.withDescription(
    "Build the console that the hub serves, if its sources have changed. A start does it too."
  )
)

const backup = Command.make("backup", {
  file: Argument.String("file").pipe(Argument.withDescription("The file to write; it must not exist")),
  withoutKey: Flag.Boolean("without-key").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Leave the master key out")
  )
}, (options) => lazily(async () => (await import("./backup.ts")).runBackup(options))).pipe(
  Command.withDescription(
    "Write the database and the data directory to one file. Hubs can be running."
  )
)

const restore = Command.make("restore", {
  file: Argument.String("file").pipe(Argument.withDescription("A file that backup wrote")),
  asCopy: Flag.Boolean("as-copy").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Restore a paused copy, which sends nothing while the original hub continues to run")
  )
}, (options) => lazily(async () => (await import("./backup.ts")).runRestore(options))).pipe(
  Command.withDescription(
    "Restore a backup into a missing or empty data directory, and with DATABASE_URL into an empty database; then check it as doctor does."
  )
)

const resetPassword = Command.make("reset-password", {
  email: Argument.String("email"),
  password: Flag.Redacted("password").pipe(
    Flag.optional,
    Flag.withDescription(
      "The new password; other users of this machine can see it. The prompt or standard input is safer"
    )
  ),
  generate: Flag.Boolean("generate").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Generate a password, and print it")
  )
}, (options) => lazily(async () => (await import("./reset-password.ts")).run(options))).pipe(
  Command.withDescription("Set a person's password, and end all of their sessions.")
)

const removeFactors = Command.make("remove-factors", {
  email: Argument.String("email")
}, (options) => lazily(async () => (await import("./remove-factors.ts")).run(options))).pipe(
  Command.withDescription("Remove a person's second factors and recovery codes, and end all of their sessions.")
)

const raceTest = Command.make("race-test", {
  url: Flag.String("url").pipe(Flag.optional, Flag.withDescription("The hub's address; default HUB_PUBLIC_URL")),
  email: Flag.String("email").pipe(
    Flag.optional,
    Flag.withDescription("The owner's email address; default HUB_OWNER_EMAIL")
  ),
  password: Flag.Redacted("password").pipe(Flag.optional, Flag.withDescription("Default HUB_OWNER_PASSWORD")),
  token: Flag.Redacted("token").pipe(
    Flag.optional,
    Flag.withDescription(
      "A personal access token instead, with agents:write, agents:keys, budgets:read and budgets:write"
    )
  ),
  workspace: Flag.String("workspace").pipe(
    Flag.optional,
    Flag.withDescription("The workspace's id; default the person's workspace")
  ),
  requests: number("requests", requestsMax, 200, "The number of requests"),
  connections: number("connections", connectionsMax, 50, "The number of concurrent requests"),
  capCents: number("cap-cents", capCentsMax, 50, "The cap that the requests compete for; it is spent"),
  topUp: Flag.Boolean("top-up").pipe(
    Flag.withDefault(false),
    Flag.withDescription("Add the missing amount to the wallet; requires billing:write")
  )
}, (options) => lazily(async () => (await import("./race-test.ts")).run(options))).pipe(
  Command.withDescription(
    "Send concurrent requests against a small cap on a running hub, and print the cents above it: 0. Exits with 1 otherwise."
  )
)

const demoKey = Command.make("demo-key", {}, () => lazily(async () => (await import("./demo-key.ts")).run)).pipe(
  Command.withDescription("Create and print a new key for the agent of the workspace Demo.")
)

const hub = Command.make("hub").pipe(
  Command.withDescription("The Countersign hub."),
  Command.withSubcommands([
    start,
    migrate,
    doctor,
    openapi,
    buildConsole,
    backup,
    restore,
    resetPassword,
    removeFactors,
    raceTest,
    demoKey
  ])
)

/** Runs to the end of the process. */
export const runCommand = (args: ReadonlyArray<string>): void => {
  // The reader of the output may close it early.
  process.stdout.on("error", () => process.exit(0))
  const fiber = Effect.runFork(
    Command.runWith(hub, { version: apiVersion })(args).pipe(
      Effect.provide(NodeServices.layer),
      Effect.provide(warningsOnStandardError)
    )
  )
  let ended: NodeJS.Signals | undefined
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    if (args[0] === "start") break
    process.on(signal, () => {
      ended ??= signal
      fiber.interruptUnsafe()
    })
  }
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) return process.exit(0)
    // By a signal, or by Ctrl-C at a prompt, which receives it as a key.
    if (ended !== undefined || Cause.hasInterruptsOnly(exit.cause)) {
      return process.exit(128 + constants.signals[ended ?? "SIGINT"])
    }
    const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    // Already printed, with its help.
    if (isCliError(error)) return process.exit(error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 1)
    const { code, line } = failureOf(exit.cause)
    process.stderr.write(`${line}\n`, () => process.exit(code))
  })
}
