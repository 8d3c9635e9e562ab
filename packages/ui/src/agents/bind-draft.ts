/** The draft of a binding in its form. Pure. */
import { formatMoney } from "../components/money-text.ts"
import type { AppRow, ServiceRow } from "../hub/queries.ts"
import { keysField, type MergeField } from "../patterns/three-way.ts"
import type { agentsText } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import type { Binding, BindingInput } from "./caps.ts"
import { withCap, withOperations } from "./caps.ts"

export interface BindDraft {
  readonly isAll: boolean
  readonly picked: ReadonlyArray<string>
  readonly cap: number | undefined
  readonly limit: number | undefined
  readonly threshold: number | undefined
  /** The id of the connected app; undefined: the hub chooses. */
  readonly app: string | undefined
}

/** A new binding. Version 0 makes the hub refuse the save if another person created the same binding meanwhile. */
export const newBinding: Binding = { service: "", operations: [], enabled: true, version: 0, operations_usage: {} }

export const bindDraftOf = (binding: Binding): BindDraft => ({
  isAll: binding.operations[0] === "*" || binding.operations.length === 0,
  picked: binding.operations[0] === "*" ? [] : binding.operations,
  cap: binding.monthly_cap_cents,
  limit: binding.daily_request_limit,
  threshold: binding.approval_threshold_cents,
  app: binding.app_id
})

export const bindingOfDraft = (
  base: Binding,
  { app, cap, isAll, limit, picked, threshold }: BindDraft
): BindingInput => {
  const figures = { monthly_cap_cents: cap, daily_request_limit: limit, approval_threshold_cents: threshold } as const
  return withOperations(
    (Object.keys(figures) as ReadonlyArray<keyof typeof figures>).reduce<Binding>(
      (binding, name) => ({ ...binding, ...withCap(binding, undefined, name, figures[name]) }),
      { ...withoutChoices(base), ...app === undefined ? {} : { app_id: app } }
    ),
    isAll ? ["*"] : picked
  )
}

const withoutChoices = ({
  app_id: _app,
  approval_threshold_cents: _threshold,
  daily_request_limit: _limit,
  monthly_cap_cents: _cap,
  ...binding
}: Binding): Binding => binding

export const bindFields = ({ bind: t, bindings: b }: typeof agentsText): ReadonlyArray<MergeField<BindDraft>> => [
  {
    ...keysField<BindDraft>(["isAll", "picked"], t.which, ({ isAll, picked }) => isAll ? b.all : picked.join(", ")),
    // The order of the checkboxes is irrelevant, and "all" overrides the single choices.
    value: ({ isAll, picked }) => isAll ? "*" : picked.toSorted()
  },
  keysField(["cap"], t.cap, ({ cap }) => cap === undefined ? b.noCap : formatMoney(cap)),
  keysField(["limit"], t.limit, ({ limit }) => limit === undefined ? b.noLimit : figure(limit)),
  keysField(
    ["threshold"],
    t.threshold,
    ({ threshold }) => threshold === undefined ? t.thresholdAbout : formatMoney(threshold)
  ),
  keysField(["app"], t.app, ({ app }) => app ?? t.noApp)
]

/** The provider whose apps an agent of the service chooses from; undefined for services with another credential. */
export const appProviderOf = ({ auth }: Pick<ServiceRow, "auth">): string | undefined =>
  auth?.type === "oauth_app" && auth.app?.startsWith("app_") === false ? auth.app : undefined

/** The apps that an agent of this owner can use, and the chosen one in any state. */
export const appOptions = (
  apps: ReadonlyArray<AppRow>,
  provider: string,
  owner: string | null,
  chosen: string | undefined
): ReadonlyArray<{ readonly value: string; readonly text: string }> => {
  const usable = apps.filter((app) =>
    app.id === chosen ||
    app.provider === provider && app.status === "connected" &&
      (app.visibility === "workspace" || app.owner_user_id === owner)
  )
  return [
    ...usable.map(({ account, id, name }) => ({
      value: id,
      text: account === undefined ? name : `${name} (${account})`
    })),
    ...chosen === undefined || usable.some(({ id }) => id === chosen) ? [] : [{ value: chosen, text: chosen }]
  ]
}
