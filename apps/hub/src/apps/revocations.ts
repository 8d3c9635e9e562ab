/**
 * Revokes tokens of disconnected apps at their providers: outside of every transaction, and again after a failure. A
 * killed hub leaves a row, and any hub continues. Spec: reference/apps.md "Disconnecting".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { Egress } from "../providers/egress.ts"
import { documentOf, revokeCall } from "./oauth.ts"
import { AppProviders, clientOf } from "./providers.ts"
import { AppsRepository } from "./repository.ts"
import { AppRevocationsRepository, type RevocationRow } from "./revocations-repository.ts"
import { AppTokens } from "./tokens.ts"

/** The last attempt is some nine hours after the first. */
export const attemptsMax = 6
const batchMax = 20

interface Outcome {
  /** Nothing is left to do, whether the provider confirmed it or has no way to revoke. */
  readonly isOver: boolean
  readonly advice: string | undefined
}

export class AppRevocations extends Context.Service<AppRevocations, {
  /** Revokes the kept tokens of an app now; a failed attempt is repeated later. Returns the advice for the person. */
  readonly attempt: (org: OrgId, app: string) => Effect.Effect<string | undefined>
  /** One batch of due attempts; returns their number. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/apps/AppRevocations") {
  static readonly layer = Layer.effect(
    AppRevocations,
    Effect.gen(function*() {
      const repository = yield* AppRevocationsRepository
      const apps = yield* AppsRepository
      const providers = yield* AppProviders
      const tokens = yield* AppTokens
      const egress = yield* Egress

      const revoke = Effect.fnUntraced(function*(row: RevocationRow): Effect.fn.Return<Outcome> {
        const provider = yield* providers.find(row.org_id, row.provider)
        const client = provider._tag === "Some" ? clientOf(provider.value) : undefined
        if (provider._tag === "None" || client === undefined) return { isOver: true, advice: undefined }
        const { definition, title } = provider.value
        const advice = `End the access in your account at ${title}.`
        const opened = tokens.opened({ ...row, id: row.app_id })
        const call = revokeCall(definition, client, opened, JSON.parse(row.params) as Record<string, string>)
        if (call === undefined) {
          return { isOver: true, advice: `${title} has no way to end the access from here. ${advice}` }
        }
        const answer = yield* Effect.result(egress.request(call))
        if (answer._tag === "Failure") {
          return {
            isOver: false,
            advice: `${title} did not confirm the disconnect: ${answer.failure.message}. ${advice}`
          }
        }
        const { body, status } = answer.success
        const isConfirmed = status >= 200 && status < 300 && documentOf(body)?.["ok"] !== false
        return isConfirmed
          ? { isOver: true, advice: undefined }
          : { isOver: false, advice: `${title} did not confirm the disconnect (${status}). ${advice}` }
      })

      const settle = Effect.fnUntraced(function*(row: RevocationRow) {
        const { advice, isOver } = yield* revoke(row)
        if (isOver || row.attempt >= attemptsMax) yield* repository.remove(row.org_id, row.app_id)
        const note = [row.note, advice].filter((text) => typeof text === "string").join(" ")
        yield* apps.setNote(row.org_id, row.app_id, note === "" ? null : note)
        return advice
      })

      return AppRevocations.of({
        attempt: Effect.fn("AppRevocations.attempt")(function*(org, app) {
          const row = yield* repository.find(org, app)
          return row === undefined ? undefined : yield* settle(row)
        }),
        round: Effect.gen(function*() {
          const due = yield* repository.claim(batchMax)
          yield* Effect.forEach(
            due,
            (row) =>
              Effect.catchCause(
                settle(row),
                (cause) =>
                  Effect.logWarning(`the tokens of ${row.app_id} could not be revoked; the hub will retry`, cause)
              ),
            {
              concurrency: "unbounded",
              discard: true
            }
          )
          return due.length
        })
      })
    })
  )
}
