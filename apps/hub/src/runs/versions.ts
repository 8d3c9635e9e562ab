/** Compiled versions of workflows. A version never changes, so a hub compiles it once. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { type CompiledVersion, compileVersion } from "./environment.ts"
import { RunsRepository } from "./repository.ts"

/** Versions that stay in memory. */
const versionsMax = 500

export class Versions extends Context.Service<Versions, {
  readonly find: (org: OrgId, id: string) => Effect.Effect<CompiledVersion | undefined>
}>()("@countersign/hub/runs/Versions") {
  static readonly layer = Layer.effect(
    Versions,
    Effect.gen(function*() {
      const repository = yield* RunsRepository
      const compiled = new Map<string, CompiledVersion>()
      return Versions.of({
        find: Effect.fnUntraced(function*(org, id) {
          const key = `${org} ${id}`
          const known = compiled.get(key)
          if (known !== undefined) return known
          const definition = yield* repository.definition(org, id)
          if (Option.isNone(definition)) return undefined
          const version = compileVersion(id, definition.value)
          const [oldest] = compiled.keys()
          if (compiled.size >= versionsMax && oldest !== undefined) compiled.delete(oldest)
          compiled.set(key, version)
          return version
        })
      })
    })
  )
}
