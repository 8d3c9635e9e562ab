/** An audit log that fails, so that a transaction is cut at the entry that ends it. */
import { AuditLog } from "@countersign/hub/platform/audit-log"
import { Effect, Layer } from "effect"

/** Replaces the hub's log: every entry dies, after all other writes of its transaction. */
export const failingAudit = Layer.effect(
  AuditLog,
  Effect.map(AuditLog, (log) => AuditLog.of({ ...log, record: () => Effect.die(new Error("cut before the commit")) }))
)
