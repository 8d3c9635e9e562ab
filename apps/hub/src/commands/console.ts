/** `hub console`: builds the console that the hub serves at its root, as a start does. */
import { Effect } from "effect"
import { CommandFailure } from "../failure.ts"
import { isPackage } from "../invocation.ts"
import { print } from "./output.ts"

interface Script {
  readonly ensureConsole: () => { readonly built: boolean; readonly problem?: string }
}

/** Plain JavaScript: a start runs it before Node 24 is available. */
const script = new URL("../../scripts/console.mjs", import.meta.url)

export const run = Effect.gen(function*() {
  if (isPackage) return yield* print("The package has a built console.")
  const { ensureConsole } = yield* Effect.promise(() => import(script.href) as Promise<Script>)
  const { built, problem } = ensureConsole()
  if (problem !== undefined) return yield* new CommandFailure({ message: `The console could not be built: ${problem}` })
  yield* print(built ? "The console is built." : "The console is up to date.")
})
