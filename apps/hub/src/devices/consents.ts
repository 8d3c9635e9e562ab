/**
 * Consent through the hub: a device requests an approval of kind `device_command`, bound to the plan's digest, before
 * it runs a command. The hub adds the verdict as a control to each answer until the device continues. Spec:
 * reference/devices.md "Consent through the hub".
 */
import type { DevicePlan } from "@countersign/domain/device-plan"
import { type ApiError, conflict, invalidField } from "@countersign/domain/errors"
import { newId, type OrgId } from "@countersign/domain/ids"
import { canonicalize } from "@countersign/domain/json"
import { Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { type Actor, AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { backgroundTransactions } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { type Consent, ConsentsRepository, type Verdict } from "./consents-repository.ts"
import { DevicesRepository } from "./repository.ts"
import type { CommandRow } from "./rows.ts"

export class DeviceConsents extends Context.Service<DeviceConsents, {
  /**
   * Call it under the locks of the device and the command. An equal repeat changes nothing. 400 when the digest is not
   * the plan's; 409 `plan_changed`.
   */
  readonly request: (row: CommandRow, plan: DevicePlan, digest: string, actor: Actor) => Effect.Effect<void, ApiError>
  /** False when it is no longer pending. */
  readonly decide: (org: OrgId, command: string, verdict: Verdict, actor: Actor) => Effect.Effect<boolean>
  /** Closes the consent of an ended command. Call it under the command's lock. */
  readonly drop: (row: CommandRow, actor: Actor) => Effect.Effect<void>
  /** Expires consents without a decision in time; returns how many. */
  readonly expire: (limit: number) => Effect.Effect<number>
}>()("@countersign/hub/devices/DeviceConsents") {
  static readonly layer = Layer.effect(
    DeviceConsents,
    Effect.gen(function*() {
      const repository = yield* ConsentsRepository
      const devices = yield* DevicesRepository
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const { eachBriefly } = yield* backgroundTransactions

      const record = (action: string, consent: Consent, actor: Actor) =>
        audit.record(consent.org_id, actor, {
          action: `approval.${action}`,
          subject: { type: "approval", id: consent.id },
          ...(consent.agent_id === null ? {} : { agent_id: consent.agent_id }),
          data: {
            kind: "device_command",
            device_command_id: consent.command_id,
            device_id: consent.device_id,
            service: "device",
            operation: consent.operation,
            plan_digest: consent.plan_digest
          }
        })

      const request: DeviceConsents["Service"]["request"] = Effect.fnUntraced(function*(row, plan, digest, actor) {
        const text = canonicalize(plan)
        if (createHash("sha256").update(text).digest("hex") !== digest) {
          return yield* Effect.fail(invalidField("plan_digest", "it is not the SHA-256 of the plan's canonical JSON"))
        }
        if (plan.tool !== row.tool) {
          return yield* Effect.fail(invalidField("plan.tool", `the command's tool is ${row.tool}`))
        }
        const before = yield* repository.of(row.id)
        if (before !== undefined) {
          return before.plan_digest === digest
            ? undefined
            : yield* Effect.fail(
              conflict("plan_changed", "Approval of this command was requested with another plan.", {
                plan_digest: before.plan_digest
              })
            )
        }
        const id = newId("apr")
        yield* record("created", yield* repository.open(id, row, { text, digest }), actor)
      })

      const close = Effect.fnUntraced(function*(consent: Consent, verdict: Verdict, actor: Actor) {
        if (!(yield* repository.close(consent.id, verdict))) return false
        yield* record(verdict.status, consent, actor)
        yield* db.afterCommit(Effect.sync(() => {
          signals.object(consent.device_id)
          signals.object(consent.command_id)
        }))
        return true
      })

      const decide = Effect.fn("DeviceConsents.decide")(
        function*(org: OrgId, command: string, verdict: Verdict, actor: Actor) {
          const consent = yield* repository.of(command)
          if (consent === undefined || consent.org_id !== org) return false
          yield* devices.lock(org, consent.device_id)
          return yield* close(consent, verdict, actor)
        },
        db.transaction
      )

      return DeviceConsents.of({
        request,
        decide,
        drop: Effect.fnUntraced(function*(row, actor) {
          if (row.approval_id === null) return
          const consent = yield* repository.of(row.id)
          if (consent !== undefined) yield* close(consent, { status: "cancelled" }, actor)
        }),
        expire: Effect.fnUntraced(function*(limit) {
          const due = yield* repository.due(limit)
          yield* eachBriefly(
            "expired device approvals",
            due,
            ({ command_id: command, org_id: org }) => decide(org, command, { status: "expired" }, hubActor)
          )
          return due.length
        })
      })
    })
  )
}
