/** A form field that is missing from the merge would be lost in a conflict, so each draft must be merged completely. */
import { bindDraftOf, bindFields, newBinding } from "@countersign/ui/agents/bind-draft"
import { draftOf as draftOfService, serviceFields } from "@countersign/ui/catalog/service-draft"
import { mergeDrafts, type MergeField } from "@countersign/ui/patterns/three-way"
import { emptyRule, ruleFields } from "@countersign/ui/policies/rule-draft"
import { draftOf as draftOfWorkspace, workspaceFields } from "@countersign/ui/settings/workspace-draft"
import { agentsText } from "@countersign/ui/text/agents"
import { catalogText } from "@countersign/ui/text/catalog"
import { mergeText } from "@countersign/ui/text/merge"
import { policiesText } from "@countersign/ui/text/policies"
import { settingsText } from "@countersign/ui/text/settings"
import { expect, test } from "vitest"

/** Keys of a draft that no field copies. */
const lost = <D extends object>(draft: D, fields: ReadonlyArray<MergeField<D>>): ReadonlyArray<string> => {
  const marked = Object.fromEntries(Object.keys(draft).map((key) => [key, `mine ${key}`])) as D
  const copied = fields.reduce<D>((into, field) => field.copy(into, marked), draft)
  return Object.keys(draft).filter((key) => copied[key as keyof D] !== marked[key as keyof D])
}

test("every field of a binding, a policy, and the workspace settings is merged", () => {
  const workspace = {
    id: "org_0",
    name: "Acme",
    role: "owner",
    frozen: false,
    approval_threshold_cents: 1,
    approval_life_seconds: 60,
    separation_of_duties: false,
    alert_levels: [],
    device_output_days: 90,
    version: 1,
    created_at: "",
    updated_at: ""
  } as unknown as Parameters<typeof draftOfWorkspace>[0]
  expect(lost(bindDraftOf(newBinding), bindFields(agentsText))).toEqual([])
  expect(lost(emptyRule(), ruleFields(policiesText, mergeText, String))).toEqual([])
  expect(lost(draftOfWorkspace(workspace), workspaceFields(settingsText.workspace, mergeText))).toEqual([])
})

test("operations of a service that two people add, change, and remove are merged by name", () => {
  const fields = serviceFields(catalogText.editor, mergeText)
  const draft = (...operations: ReadonlyArray<readonly [string, number]>) =>
    draftOfService({
      name: "shop",
      kind: "http",
      shipped: false,
      enabled: true,
      version: 1,
      operations: operations.map(([name, cents]) => ({ name, cents }))
    } as never)
  const [base, mine, theirs] = [
    draft(["buy", 1], ["sell", 1]),
    draft(["buy", 2], ["sell", 1], ["rent", 1]),
    draft(["buy", 1], ["swap", 1])
  ]
  const merge = mergeDrafts(fields(base, mine, theirs), base, mine, theirs)
  expect(merge.draft["operations"]).toEqual([{ name: "buy", cents: 2 }, { name: "swap", cents: 1 }, {
    name: "rent",
    cents: 1
  }])
  expect([merge.theirs, merge.mine, merge.collisions].map((list) => list.map(({ key }) => key))).toEqual([
    ["operation sell", "operation swap"],
    ["operation buy", "operation rent"],
    []
  ])
})
