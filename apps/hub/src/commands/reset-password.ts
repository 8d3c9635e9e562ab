/**
 * `hub reset-password`: for people who are locked out. The password is read from a flag, a prompt, or standard input,
 * and is never echoed.
 */
import { isNewPassword, passwordLengthMax, passwordLengthMin } from "@countersign/domain/identity"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Prompt from "effect/cli/Prompt"
import { createInterface } from "node:readline"
import { ChallengesRepository } from "../auth/challenges-repository.ts"
import { PasswordReset } from "../auth/password-reset.ts"
import { Passwords } from "../auth/passwords.ts"
import { SessionsRepository, UsersRepository } from "../auth/repository.ts"
import { CommandFailure } from "../failure.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { changesLayer } from "./database.ts"
import { print } from "./output.ts"

const PasswordResetLive = PasswordReset.layer.pipe(
  Layer.provide(
    Layer.mergeAll(
      ChallengesRepository.layer,
      UsersRepository.layer,
      SessionsRepository.layer,
      WorkspacesRepository.layer,
      Passwords.layer
    )
  ),
  Layer.provide(changesLayer)
)

const wrongLength = `A password has ${passwordLengthMin} to ${passwordLengthMax} characters.`

const asked = Effect.gen(function*() {
  const first = yield* Prompt.run(Prompt.Hidden({
    message: "New password",
    validate: (text) => isNewPassword(text) ? Effect.succeed(text) : Effect.fail(wrongLength)
  }))
  const second = yield* Prompt.run(Prompt.Hidden({ message: "Again" }))
  return Redacted.value(first) === Redacted.value(second)
    ? first
    : yield* new CommandFailure({ message: "The passwords differ. Nothing was changed." })
})

const noInput = new CommandFailure({
  message: "No password was given. Use standard input, --password, or --generate."
})

const firstLine = Effect.callback<Redacted.Redacted, CommandFailure>((resume) => {
  const lines = createInterface({ input: process.stdin })
  lines.once("line", (line) => {
    resume(Effect.succeed(Redacted.make(line)))
    lines.close()
  })
  lines.once("close", () => resume(Effect.fail(noInput)))
})

export const run = ({ email, generate, password }: {
  readonly email: string
  readonly password: Option.Option<Redacted.Redacted>
  readonly generate: boolean
}) =>
  Effect.gen(function*() {
    const typed = process.stdin.isTTY ? asked : firstLine
    const given = generate ? undefined : Redacted.value(Option.isSome(password) ? password.value : yield* typed)
    if (given !== undefined && !isNewPassword(given)) {
      return yield* new CommandFailure({ message: `${wrongLength} Nothing was changed.` })
    }
    const reset = Effect.flatMap(PasswordReset, (passwords) => passwords.reset(email, given))
    const nobody = new CommandFailure({ message: `No person has the email address ${email}.` })
    const made = yield* Effect.provide(reset, PasswordResetLive).pipe(
      Effect.catchTag("NotFound", () => Effect.fail(nobody))
    )
    yield* print(`The password of ${email} is set, and all of their sessions have ended.`)
    if (generate) yield* print(made.password)
  })
