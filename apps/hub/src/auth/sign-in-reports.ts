/**
 * What follows a sign-in attempt: a failed one is logged, recorded in the person's workspaces, and mailed to the person
 * when many failed; a successful one makes its device known. Spec: reference/accounts.md "Sign-in".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { Context, Effect, Layer, Option, Scope } from "effect"
import { Settings } from "../config.ts"
import { addressKey } from "../edge/rate-limit.ts"
import { actorOf, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { counting, signIns } from "../platform/telemetry.ts"
import { Mailer } from "../providers/mail.ts"
import { credentialHash, opaqueToken } from "./hash.ts"
import { accountOf, type SignInSource } from "./login-limits.ts"
import { makePersonAudit } from "./person-audit.ts"
import { type User, UsersRepository } from "./repository.ts"
import { SignInRepository } from "./sign-in-repository.ts"
import { isRecorded } from "./sign-in-rules.ts"

const mailTimeoutMillis = 20_000

const mailText = (failures: number, ip: string, hub: string) =>
  `${failures} attempts to sign in to your account on ${hub} have failed, the last one from the address ${ip}.\n\n` +
  "If these were yours, you can ignore this message. Otherwise somebody is guessing your password. You can still sign " +
  "in: attempts from new devices are delayed, and devices on which you have signed in before are not affected. Change " +
  "your password if it is short, or if you use it anywhere else.\n"

type SignInMethod = "password" | "second_factor" | "oidc" | "setup" | "device"

export class SignInReports extends Context.Service<SignInReports, {
  /** Returns at once: the answer to a known and to an unknown address takes the same time. */
  readonly failed: (email: string, from: SignInSource, attempts: number) => Effect.Effect<void>
  /** Mails all owners that somebody signed in by a password although single sign-on is required. Returns at once. */
  readonly brokeGlass: (user: { readonly email: string }, ip: string) => Effect.Effect<void>
  /** Counts a sign-in for `/metrics`. Call it after the commit: a transaction may run again. */
  readonly counted: (method: SignInMethod, outcome: string) => Effect.Effect<void>
  /** Records a wrong password, code, or passkey of a signed-in person. */
  readonly stepUpFailed: (user: UserPrincipal) => Effect.Effect<void>
  /** Ends the delay of the account; returns the value of the device's cookie. */
  readonly succeeded: (
    user: { readonly id: string; readonly email: string },
    from: SignInSource
  ) => Effect.Effect<string>
}>()("@countersign/hub/auth/SignInReports") {
  static readonly layer = Layer.effect(
    SignInReports,
    Effect.gen(function*() {
      const users = yield* UsersRepository
      const recordInAll = yield* makePersonAudit
      const repository = yield* SignInRepository
      const audit = yield* AuditLog
      const mailer = yield* Mailer
      const db = yield* Db
      const settings = yield* Settings
      const scope = yield* Scope.Scope

      const count = counting(signIns, yield* Effect.context<never>())

      const record = (user: User, failures: number, ip: string) =>
        db.transaction(
          recordInAll(user.id, { ...hubActor, ip }, { action: "user.sign_in_failed", data: { failures, ip } })
        )

      const mail = (user: User, failures: number, ip: string) =>
        mailer.send({
          to: [user.email],
          subject: "Failed sign-ins to your Countersign account",
          text: mailText(failures, ip, settings.publicUrl.origin)
        }, mailTimeoutMillis).pipe(
          Effect.catch((error) =>
            Effect.logWarning(`${user.id} was not mailed about failed sign-ins: ${error.message}`)
          )
        )

      const report = Effect.fnUntraced(function*(email: string, ip: string, failures: number) {
        const user = yield* users.byEmail(email)
        yield* Effect.logInfo("a sign-in failed").pipe(
          Effect.annotateLogs({ ip, failures, user_id: user?.id ?? "unknown" })
        )
        if (user === undefined) return
        if (isRecorded(failures)) yield* record(user, failures, ip)
        const mails = Option.isSome(settings.smtpUrl) && Option.isSome(settings.mailFrom)
        const attempts = mails ? yield* repository.claimMail(accountOf(email)) : undefined
        if (attempts !== undefined) yield* mail(user, attempts, ip)
      })

      return SignInReports.of({
        failed: (email, { ip }, attempts) =>
          report(email, ip, attempts).pipe(
            Effect.catchCause((cause) => Effect.logWarning("a failed sign-in was not recorded", cause)),
            Effect.forkIn(scope),
            Effect.asVoid
          ),
        brokeGlass: ({ email }, ip) =>
          Effect.gen(function*() {
            for (const owner of yield* repository.owners) {
              yield* mailer.send({
                to: [owner],
                subject: "Sign-in to Countersign without single sign-on",
                text:
                  `${email} signed in to ${settings.publicUrl.origin} by a password and a second factor, from the address ${ip}, ` +
                  "although the hub requires single sign-on.\n\nIf this was not planned, end the session and reset the password.\n"
              }, mailTimeoutMillis)
            }
          }).pipe(
            Effect.catchCause((cause) =>
              Effect.logWarning("the owners were not mailed about a break-glass sign-in", cause)
            ),
            Effect.forkIn(scope),
            Effect.asVoid
          ),
        counted: (method, outcome) => Effect.sync(() => count({ method, outcome })),
        stepUpFailed: (user) =>
          db.transaction(audit.record(user.org_id, actorOf(user), {
            action: "user.step_up_failed",
            subject: { type: "user", id: user.user_id },
            data: user.via.kind === "session" ? { session_id: user.via.session_id } : {}
          })),
        succeeded: Effect.fnUntraced(function*({ email, id }, { device, ip }) {
          const token = device ?? opaqueToken()
          yield* repository.reset(accountOf(email))
          yield* repository.remember(id, credentialHash(token), addressKey(ip))
          return token
        })
      })
    })
  )
}
