/** How the commands are made: each is a function of the command line that may return an exit code. */
import { Effect, Option } from "effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { Cli } from "./cli.ts"
import { failureOf } from "./exit.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withDescription(description))

const Profile = GlobalFlag.Setting("profile")({ flag: text("profile", "The profile to use") })
const Url = GlobalFlag.Setting("url")({ flag: text("url", "The hub's address") })
const Workspace = GlobalFlag.Setting("workspace")({ flag: text("workspace", "The workspace of this call") })
const OutputFormat = GlobalFlag.Setting("output")({
  flag: Flag.Literals("output", ["table", "json", "jsonl", "csv", "id"]).pipe(
    Flag.withAlias("o"),
    Flag.optional,
    Flag.withDescription("The format of data. Default: table on a terminal, JSON elsewhere")
  )
})
const Yes = GlobalFlag.Setting("yes")({
  flag: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDefault(false),
    Flag.withDescription("Answer every question with yes")
  )
})
const NoInput = GlobalFlag.Setting("no-input")({
  flag: Flag.Boolean("no-input").pipe(Flag.withDefault(false), Flag.withDescription("Never ask: fail instead"))
})

export const globalFlags = [Profile, Url, Workspace, OutputFormat, Yes, NoInput] as const

/** Runs a command; its errors are printed, and its exit code is set. */
const act = <Input>(run: (cli: Cli, input: Input) => Promise<number | void>) =>
  Effect.fnUntraced(function*(input: Input) {
    const profile = Option.getOrUndefined(yield* Profile)
    const url = Option.getOrUndefined(yield* Url)
    const workspace = Option.getOrUndefined(yield* Workspace)
    const output = Option.getOrUndefined(yield* OutputFormat)
    const yes = yield* Yes
    const noInput = yield* NoInput
    yield* Effect.promise(async () => {
      try {
        process.exitCode = await run(new Cli({ profile, url, workspace, output, yes, noInput }), input) ?? 0
      } catch (error) {
        const { exitCode, message } = failureOf(error)
        if (message !== "") process.stderr.write(`${message}\n`)
        process.exitCode = exitCode
      }
    })
  })

export const command = <const Name extends string, const Config extends Command.Command.Config>(
  name: Name,
  description: string,
  config: Config,
  run: (cli: Cli, input: Command.Command.Config.Infer<Config>) => Promise<number | void>
) => Command.make(name, config, act(run)).pipe(Command.withDescription(description))

export const optionalText = text
export const undefinedOf = Option.getOrUndefined

/** The fields of options that were given. */
export const given = <A>(fields: Readonly<Record<string, Option.Option<A>>>): Record<string, A> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
  )

/** How many items a list shows; the flag of every list. */
export const limit = Flag.Int("limit").pipe(
  Flag.withDefault(50),
  Flag.withDescription("How many items to show (50); 0 shows all")
)

/** The first items of a list, as many as the flag says. */
export const first = async <A>(items: AsyncIterable<A>, count: number): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const item of items) {
    found.push(item)
    if (found.length === count) break
  }
  return found
}
