/** `hub doctor`: proves that money, requests, and audit log agree, while the hub runs. */
import { Effect, Layer } from "effect"
import { AuditRepository } from "../audit/repository.ts"
import { AuditTrail } from "../audit/trail.ts"
import { CommandFailure } from "../failure.ts"
import { DoctorRepository } from "../ledger/doctor-repository.ts"
import { type Diagnosis, Doctor, doctor } from "../ledger/doctor.ts"
import { hubDatabaseLayer } from "./database.ts"
import { print } from "./output.ts"

/** Needs a database of this version. */
export const DoctorLive = Doctor.layer.pipe(
  Layer.provide(AuditTrail.layer),
  Layer.provide(Layer.mergeAll(DoctorRepository.layer, AuditRepository.layer))
)

/** Prints the result of every check; fails if one fails. */
export const examine = Effect.gen(function*() {
  const found = yield* doctor
  const width = Math.max(...found.map(({ check }) => check.length))
  const line = ({ bad, check, detail }: Diagnosis) =>
    `${check.padEnd(width)}  ${bad}${detail === undefined ? "" : `  ${detail}`}`
  yield* print(found.map(line).join("\n"))
  for (const notice of yield* Effect.flatMap(Doctor, ({ notices }) => notices)) yield* print(notice)
  const bad = found.filter((one) => one.bad > 0).length
  if (bad > 0) return yield* new CommandFailure({ message: `${bad} of ${found.length} checks failed.` })
  yield* print(`All ${found.length} checks passed.`)
})

export const run = examine.pipe(Effect.provide(DoctorLive.pipe(Layer.provide(hubDatabaseLayer))))
