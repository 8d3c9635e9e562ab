/**
 * Every endpoint against requests that Schemathesis generates from the OpenAPI document, valid and invalid, alone and
 * in sequences, with each kind of credential: no 5xx, documented statuses, content types, headers and schemas only,
 * invalid requests rejected, undeclared methods answered 405, missing and wrong credentials answered 401.
 */
import { Effect } from "effect"
import { type CredentialKind, credentialKinds, documentFor, fuzzTarget } from "../support/fuzz-target.ts"
import { fuzz } from "../support/fuzzer.ts"
import { missingPython } from "../support/requirements.mjs"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

/**
 * Each operation once in the short form, with the first of these kinds that may call it; with every kind from scale 2
 * on. The boundaries of all schemas are sent from scale 2 on, too: they take twice as long as the rest. In `npm test`
 * the walks of `test/hub/edge/endpoints.test.ts` send wrong bodies and undeclared methods to every endpoint.
 */
const operationsOf = (scale: number): ReadonlyMap<CredentialKind, ReadonlyArray<string>> => {
  const taken = new Set<string>()
  return new Map(credentialKinds.map((kind) => {
    const operations = documentFor(kind).callable.filter((id) => scale > 1 || !taken.has(id))
    for (const id of operations) taken.add(id)
    return [kind, operations] as const
  }))
}

const run = async ({ log, scale, seed }: SoakOptions) => {
  for (const [kind, operations] of operationsOf(scale)) {
    const report = await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      const { credentials, hub, idsFor, upstream } = yield* fuzzTarget
      return yield* Effect.promise(() =>
        fuzz({
          url: hub.url,
          kind,
          credential: credentials[kind],
          operations,
          document: documentFor(kind).document,
          origin: upstream.origin,
          ids: idsFor(kind),
          seed,
          examples: scale,
          hasBoundaries: scale > 1
        })
      )
    })))
    const statuses = [...report.statuses].sort(([a], [b]) => a - b).map(([hundreds, count]) => `${count} ${hundreds}xx`)
      .join(", ")
    log(
      `${kind}: ${operations.length} operations, ${report.requests} requests (${statuses}), ${report.succeeded.size} operations succeeded`
    )
    if (report.requests < operations.length) {
      throw new Error(`${kind}: ${report.requests} requests for ${operations.length} operations`)
    }
    if (report.succeeded.size === 0) {
      throw new Error(`${kind}: no operation succeeded, so nothing behind the credential was tested`)
    }
  }
}

export const soak: SoakScenario = {
  name: "http-fuzz",
  summary: "requests generated from the OpenAPI document, with each kind of credential",
  missing: missingPython,
  run
}
