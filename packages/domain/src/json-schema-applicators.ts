/**
 * Keywords that apply other schemas: to items and members, in combination, under conditions, and to unevaluated values.
 */
import { Result } from "effect"
import { type Check, type Compile, Evaluated, type Keyword, type Run } from "./json-schema-run.ts"
import { type JsonObject, own, resolveReference } from "./json-schema-shape.ts"
import { isJsonObject } from "./json.ts"
import { compileRegex } from "./regex.ts"

export const items: Keyword = (schema, compile) => {
  const older = own(schema, "items")
  const prefix = Array.isArray(older) ? older : own(schema, "prefixItems")
  const rest = Array.isArray(older) ? own(schema, "additionalItems") : older
  if (prefix === undefined && rest === undefined) return undefined
  const first = Array.isArray(prefix) ? prefix.map(compile) : []
  const others = rest === undefined ? undefined : compile(rest)
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let conforms = true
    for (let at = 0; at < value.length; at++) {
      const check = at < first.length ? first[at] : others
      if (check === undefined) break
      run.evaluated?.items.add(at)
      if (run.below(check, value[at], at)) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  }
}

export const contains: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "contains")) return undefined
  const check = compile(schema["contains"])
  const min = own(schema, "minContains") as number | undefined ?? 1
  const max = own(schema, "maxContains") as number | undefined ?? Number.POSITIVE_INFINITY
  return (value, run) => {
    if (!Array.isArray(value)) return true
    let found = 0
    run.silently(() => {
      for (let at = 0; at < value.length; at++) {
        if (!run.below(check, value[at], at)) continue
        run.evaluated?.items.add(at)
        found++
      }
      return true
    })
    if (found < min) return run.fail(`This must contain at least ${min} of the items that the schema requires.`)
    return found <= max || run.fail(`This may contain at most ${max} of the items that the schema counts.`)
  }
}

export const properties: Keyword = (schema, compile) => {
  const listed = own(schema, "properties")
  const patterned = own(schema, "patternProperties")
  const rest = own(schema, "additionalProperties")
  if (listed === undefined && patterned === undefined && rest === undefined) return undefined
  const byName = new Map(isJsonObject(listed) ? Object.keys(listed).map((name) => [name, compile(listed[name])]) : [])
  const byPattern = isJsonObject(patterned)
    ? Object.keys(patterned).map((source) => ({
      regex: Result.getOrThrow(compileRegex(source)),
      check: compile(patterned[source])
    }))
    : []
  const others: Check | undefined = rest === undefined ? undefined : rest === false
    ? (_, run) => run.fail("This member is not allowed here.")
    : compile(rest)
  return (value, run) => {
    if (!isJsonObject(value)) return true
    let conforms = true
    for (const name of Object.keys(value)) {
      const check = byName.get(name)
      let known = check !== undefined
      let fits = check === undefined || run.below(check, value[name], name)
      for (const { check, regex } of byPattern) {
        if (!run.matches(regex, name)) continue
        known = true
        fits = run.below(check, value[name], name) && fits
      }
      if (!known && others !== undefined) {
        known = true
        fits = run.below(others, value[name], name)
      }
      if (known) run.evaluated?.names.add(name)
      if (fits) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  }
}

export const propertyNames: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "propertyNames")) return undefined
  const check = compile(schema["propertyNames"])
  return (value, run) => {
    if (!isJsonObject(value)) return true
    let conforms = true
    for (const name of Object.keys(value)) {
      if (run.silently(() => run.below(check, name, name))) continue
      conforms = run.fail("This member name is not allowed here.", name)
      if (!run.collects) return false
    }
    return conforms
  }
}

export const dependents: Keyword = (schema, compile) => {
  const checks: Array<readonly [name: string, check: Check]> = []
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    const map = own(schema, keyword)
    if (!isJsonObject(map)) continue
    for (const name of Object.keys(map)) {
      const asked = map[name]
      checks.push([name, Array.isArray(asked) ? needs(name, asked as ReadonlyArray<string>) : compile(asked)])
    }
  }
  if (checks.length === 0) return undefined
  return (value, run) => {
    if (!isJsonObject(value)) return true
    run.spend(checks.length / 8)
    let conforms = true
    for (const [name, check] of checks) {
      if (!Object.hasOwn(value, name) || run.applyInPlace(check, value)) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  }
}

const needs = (name: string, others: ReadonlyArray<string>): Check => (value, run) => {
  run.spend(others.length / 8)
  const message = `This is required together with ${JSON.stringify(name)}.`
  let conforms = true
  for (const other of others) if (!Object.hasOwn(value as object, other)) conforms = run.fail(message, other)
  return conforms
}

export const reference: Keyword = (schema, compile, root) => {
  const text = own(schema, "$ref")
  if (typeof text !== "string") return undefined
  const check = compile(resolveReference(root, text) ?? false)
  return (value, run) => run.applyInPlace(check, value)
}

const branches = (schema: JsonObject, keyword: string, compile: Compile): ReadonlyArray<Check> | undefined => {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list.map(compile) : undefined
}

export const allOf: Keyword = (schema, compile) => {
  const checks = branches(schema, "allOf", compile)
  return checks && ((value, run) => {
    let conforms = true
    for (const check of checks) {
      if (run.applyInPlace(check, value)) continue
      conforms = false
      if (!run.collects) return false
    }
    return conforms
  })
}

export const anyOf: Keyword = (schema, compile) => {
  const checks = branches(schema, "anyOf", compile)
  return checks && ((value, run) =>
    run.alternatives(() => {
      let conforms = false
      for (const check of checks) {
        // Every matching branch reports its evaluated members, so none may be skipped while these are recorded.
        if (run.applyInPlace(check, value)) conforms = true
        if (conforms && run.evaluated === undefined) return true
      }
      return conforms
    }))
}

export const oneOf: Keyword = (schema, compile) => {
  const checks = branches(schema, "oneOf", compile)
  return checks && ((value, run) => {
    let fitting = 0
    const one = run.alternatives(() => {
      for (const check of checks) if (run.applyInPlace(check, value)) fitting++
      return fitting > 0
    })
    return one && fitting === 1 ||
      fitting > 1 && run.fail(`This matches ${fitting} of the forms, but must match exactly one.`)
  })
}

export const not: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "not")) return undefined
  const check = compile(schema["not"])
  return (value, run) => !holds(check, value, run) || run.fail("This has a form that is not allowed.")
}

/** A check whose evaluations do not count. */
const holds = (check: Check, value: unknown, run: Run): boolean => {
  const { evaluated } = run
  run.evaluated = evaluated && new Evaluated()
  const answer = run.silently(() => check(value, run))
  run.evaluated = evaluated
  return answer
}

export const conditional: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "if")) return undefined
  const condition = compile(schema["if"])
  const then = compile(own(schema, "then") ?? true)
  const otherwise = compile(own(schema, "else") ?? true)
  return (value, run) =>
    run.applyInPlace(run.silently(() => run.applyInPlace(condition, value)) ? then : otherwise, value)
}

export const unevaluatedItems: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "unevaluatedItems")) return undefined
  const check = compile(schema["unevaluatedItems"])
  return (value, run) => {
    if (!Array.isArray(value) || run.evaluated === undefined) return true
    let conforms = true
    for (let at = 0; at < value.length; at++) {
      if (run.evaluated.items.has(at)) continue
      run.evaluated.items.add(at)
      if (!run.below(check, value[at], at)) conforms = false
      if (!conforms && !run.collects) return false
    }
    return conforms
  }
}

export const unevaluatedProperties: Keyword = (schema, compile) => {
  if (!Object.hasOwn(schema, "unevaluatedProperties")) return undefined
  const check = compile(schema["unevaluatedProperties"])
  return (value, run) => {
    if (!isJsonObject(value) || run.evaluated === undefined) return true
    let conforms = true
    for (const name of Object.keys(value)) {
      if (run.evaluated.names.has(name)) continue
      run.evaluated.names.add(name)
      if (!run.below(check, value[name], name)) conforms = false
      if (!conforms && !run.collects) return false
    }
    return conforms
  }
}
