/** The draft of a policy. Pure. */
import type { Input } from "@countersign/hub-client/contract"
import type { Policy } from "../hub/queries.ts"
import { keysField, type MergeField } from "../patterns/three-way.ts"
import type { mergeText } from "../text/merge.ts"
import type { policiesText } from "../text/policies.ts"

export type Action = Policy["then"]
export const actions = ["allow", "block", "require_approval"] as const satisfies ReadonlyArray<Action>
/** Roles with the permission to decide approvals. */
export const deciderRoles = ["owner", "admin", "operator"] as const
export type DeciderRole = (typeof deciderRoles)[number]
export const units = ["1", "60", "3600", "86400"] as const
export type Unit = (typeof units)[number]

export interface RuleDraft {
  readonly name: string
  readonly position: number | undefined
  readonly enabled: boolean
  readonly when: string
  readonly then: Action
  readonly approvals: number | undefined
  readonly isNarrow: boolean
  readonly roles: ReadonlyArray<DeciderRole>
  readonly people: ReadonlyArray<string>
  readonly life: number | undefined
  readonly unit: Unit
  readonly reason: string
}

export const emptyRule = (): RuleDraft => ({
  name: "",
  position: undefined,
  enabled: true,
  when: "",
  then: "require_approval",
  approvals: 1,
  isNarrow: false,
  roles: [],
  people: [],
  life: undefined,
  unit: "3600",
  reason: ""
})

/** The largest unit in which a duration is a whole number. */
const unitOf = (seconds: number): Unit => [...units].reverse().find((unit) => seconds % Number(unit) === 0) ?? "1"

export const draftOfRule = (policy: Policy): RuleDraft => {
  const { deciders, enabled, expires_in_seconds, name, position, reason, required_approvals, when } = policy
  const unit = expires_in_seconds === undefined ? "3600" : unitOf(expires_in_seconds)
  return {
    name,
    position,
    enabled,
    when,
    then: policy.then,
    approvals: required_approvals ?? 1,
    isNarrow: deciders !== undefined,
    roles: deciderRoles.filter((role) => deciders?.roles?.includes(role) === true),
    people: deciders?.user_ids ?? [],
    life: expires_in_seconds === undefined ? undefined : expires_in_seconds / Number(unit),
    unit,
    reason
  }
}

const decidersOf = ({ isNarrow, people, roles }: RuleDraft) =>
  !isNarrow
    ? undefined
    : { ...(roles.length === 0 ? {} : { roles }), ...(people.length === 0 ? {} : { user_ids: people }) }

const secondsOf = (
  { life, unit }: RuleDraft
): number | undefined => (life === undefined ? undefined : life * Number(unit))

/** The approval settings are left out if no approval is required. */
export const createInput = (draft: RuleDraft): Input<"policies.create">["payload"] => {
  const asks = draft.then === "require_approval"
  const deciders = asks ? decidersOf(draft) : undefined
  const seconds = asks ? secondsOf(draft) : undefined
  return {
    name: draft.name.trim(),
    enabled: draft.enabled,
    when: draft.when,
    then: draft.then,
    reason: draft.reason,
    ...(draft.position === undefined ? {} : { position: draft.position }),
    ...(asks && draft.approvals !== undefined ? { required_approvals: draft.approvals } : {}),
    ...(deciders === undefined ? {} : { deciders: deciders as NonNullable<Policy["deciders"]> }),
    ...(seconds === undefined ? {} : { expires_in_seconds: seconds })
  }
}

/** null removes a setting. */
export const updateInput = (draft: RuleDraft) => {
  const { deciders = null, expires_in_seconds = null, required_approvals = null, ...rest } = createInput(draft)
  return { ...rest, deciders, expires_in_seconds, required_approvals } satisfies Input<"policies.update">["payload"]
}

/** Whether the approvers are restricted to an empty set. */
export const lacksDecider = ({ isNarrow, people, roles, then }: RuleDraft): boolean =>
  then === "require_approval" && isNarrow && people.length === 0 && roles.length === 0

/** The fields of the form, to merge with another person's changes. */
export const ruleFields = (
  all: typeof policiesText,
  words: typeof mergeText,
  nameOf: (person: string) => string
): ReadonlyArray<MergeField<RuleDraft>> => {
  const t = all.editor
  return [
    keysField(["enabled"], t.enabled, ({ enabled }) => enabled ? words.yes : words.no),
    keysField(["name"], t.name, ({ name }) => name),
    keysField(["position"], t.position, ({ position }) => String(position ?? "")),
    keysField(["when"], t.when, ({ when }) => when),
    keysField(["then"], t.then, ({ then }) => all.actions[then]),
    keysField(["approvals"], t.approvals, ({ approvals }) => String(approvals ?? "")),
    {
      ...keysField<RuleDraft>(
        ["isNarrow", "roles", "people"],
        t.deciders,
        ({ isNarrow, people, roles }) =>
          isNarrow ? [...roles.map((role) => t.roleNames[role]), ...people.map(nameOf)].join(", ") : t.anyone
      ),
      value: (draft) => decidersOf(draft)
    },
    {
      ...keysField<RuleDraft>(
        ["life", "unit"],
        t.expires,
        ({ life, unit }) => life === undefined ? words.none : `${life} ${t.units[unit]}`
      ),
      value: secondsOf
    },
    keysField(["reason"], t.reason, ({ reason }) => reason === "" ? words.none : reason)
  ]
}
