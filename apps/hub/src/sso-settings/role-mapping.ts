/**
 * Roles from a claim of the provider. Pure. A missing claim (providers omit long lists) changes nothing; an empty one
 * takes the roles away. Spec: reference/sign-in.md "Roles".
 */
import type { Role } from "@countersign/domain/auth"
import { resolvePointer } from "@countersign/domain/pointer"
import { roles } from "@countersign/domain/role-permissions"

export interface RoleRule {
  /** One value of the claim. */
  readonly value: string
  /** The id of a workspace, or its name if only one has it. */
  readonly workspace: string
  readonly role: Role
  /** The id of a team of the workspace, or its name. */
  readonly team?: string
}

export interface RoleMapping {
  /** The name of the claim, or a JSON Pointer such as `/realm_access/roles`. */
  readonly claim: string
  readonly rules: ReadonlyArray<RoleRule>
}

export const rulesMax = 500
const textMax = 512

const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= textMax
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The mapping, or the problem of the text as the end of a sentence. */
export const parseRoleMapping = (text: string): RoleMapping | string => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return "is not JSON"
  }
  if (!isRecord(value) || !isText(value["claim"]) || !Array.isArray(value["rules"])) {
    return `must be { "claim": "groups", "rules": [ … ] }`
  }
  const { claim, rules } = value
  const unknown = Object.keys(value).find((name) => name !== "claim" && name !== "rules")
  if (unknown !== undefined) return `has the unknown field ${unknown}`
  if (rules.length > rulesMax) return `has more than ${rulesMax} rules`
  const read: Array<RoleRule> = []
  for (const [at, rule] of rules.entries()) {
    const here = `rules[${at}]`
    if (!isRecord(rule)) return `${here} must be an object`
    const extra = Object.keys(rule).find((name) => !["value", "workspace", "role", "team"].includes(name))
    if (extra !== undefined) return `${here} has the unknown field ${extra}`
    for (const name of ["value", "workspace", "role"]) if (!isText(rule[name])) return `${here}.${name} must be a text`
    const role = roles.find((each) => each === rule["role"])
    if (role === undefined) return `${here}.role must be one of ${roles.join(", ")}`
    if (rule["team"] !== undefined && !isText(rule["team"])) return `${here}.team must be a text`
    read.push({
      value: rule["value"] as string,
      workspace: rule["workspace"] as string,
      role,
      ...isText(rule["team"]) ? { team: rule["team"] } : {}
    })
  }
  return { claim, rules: read }
}

/** The values of the claim; undefined when it is missing. */
export const claimValues = (
  claims: Readonly<Record<string, unknown>>,
  claim: string
): ReadonlyArray<string> | undefined => {
  const found = claim.startsWith("/")
    ? resolvePointer(claims, claim)
    : { found: Object.hasOwn(claims, claim), value: claims[claim] }
  const value = found.found ? (found as { readonly value: unknown }).value : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return value === "" ? [] : [value]
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined
}

export interface Target {
  readonly role: Role
  /** As the rules name them. */
  readonly teams: ReadonlyArray<string>
}

/** The highest role in each workspace that the values give; `workspaceOf` answers undefined for an unknown one. */
export const targetsOf = (
  { rules }: RoleMapping,
  values: ReadonlyArray<string>,
  workspaceOf: (named: string) => string | undefined
): ReadonlyMap<string, Target> => {
  const targets = new Map<string, Target>()
  for (const { role, team, value, workspace } of rules) {
    const org = values.includes(value) ? workspaceOf(workspace) : undefined
    if (org === undefined) continue
    const before = targets.get(org)
    targets.set(org, {
      // `roles` begins with the highest one.
      role: before === undefined || roles.indexOf(role) < roles.indexOf(before.role) ? role : before.role,
      teams: [...new Set([...before?.teams ?? [], ...team === undefined ? [] : [team]])]
    })
  }
  return targets
}
