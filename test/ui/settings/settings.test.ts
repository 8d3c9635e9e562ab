import { HubApi } from "@countersign/domain/api"
import { permissions, Requires, rolePermissions } from "@countersign/domain/auth"
import type { Workspace } from "@countersign/domain/workspaces"
import { permissionsOf, roles, shownPermissions } from "@countersign/ui/settings/permission-groups.ts"
import { readUserAgent } from "@countersign/ui/settings/user-agent.ts"
import { changeOf, draftOf, draftProblems, readAlertLevels } from "@countersign/ui/settings/workspace-draft.ts"
import { Context, Option } from "effect"
import { expect, it } from "vitest"

it("every permission of an endpoint is shown once, with the roles that have it in the contract", () => {
  const asked = new Set(
    Object.values(HubApi.groups).flatMap((group) =>
      Object.values(group.endpoints).flatMap((endpoint) =>
        Option.toArray(Context.getOption(endpoint.annotations, Requires))
      )
    )
  )
  expect(permissions.filter((permission) => asked.has(permission) && !shownPermissions.includes(permission))).toEqual(
    []
  )
  expect(new Set(shownPermissions).size).toBe(shownPermissions.length)
  expect([...roles].sort()).toEqual(Object.keys(rolePermissions).sort())
  for (const role of roles) {
    const given = shownPermissions.filter((permission) => rolePermissions[role].has(permission))
    expect([...permissionsOf[role]].sort(), role).toEqual(given.sort())
  }
})

const workspace = {
  id: "org_1",
  name: "Acme",
  role: "owner",
  frozen: false,
  approval_threshold_cents: 1_000,
  approval_life_seconds: 86_400,
  separation_of_duties: false,
  device_output_days: 90,
  alert_levels: [50, 80, 100],
  created_at: "",
  updated_at: ""
} as unknown as Workspace

it("unchanged settings are not sent", () => {
  expect(changeOf(workspace, draftOf(workspace))).toEqual({})
  const odd = { ...workspace, approval_life_seconds: 5_400, step_up_cents: 0, retention_days: 30 }
  expect(draftOf(odd)).toMatchObject({
    life: 90,
    lifeUnit: "minutes",
    hasStepUp: true,
    stepUpCents: 0,
    retentionDays: 30
  })
  expect(changeOf(odd, draftOf(odd))).toEqual({})
})

it("changed settings are sent in the hub's form, and removed ones as null", () => {
  const draft = draftOf({ ...workspace, step_up_cents: 500, retention_days: 30 } as Workspace)
  const change = changeOf({ ...workspace, step_up_cents: 500, retention_days: 30 } as Workspace, {
    ...draft,
    name: " Acme & Co ",
    life: 2,
    lifeUnit: "hours",
    hasStepUp: false,
    duties: true,
    alerts: "75 90",
    retentionDays: undefined,
    deviceOutputDays: 30
  })
  expect(change).toEqual({
    name: "Acme & Co",
    approval_life_seconds: 7_200,
    step_up_cents: null,
    separation_of_duties: true,
    alert_levels: [75, 90],
    retention_days: null,
    device_output_days: 30
  })
})

it("invalid settings are reported at their fields", () => {
  const problems = draftProblems({
    ...draftOf(workspace),
    name: " ",
    thresholdCents: undefined,
    life: 31,
    lifeUnit: "days",
    hasStepUp: true,
    stepUpCents: undefined,
    alerts: "80, 50",
    deviceOutputDays: undefined
  })
  expect([...problems].sort()).toEqual(["alerts", "deviceOutputDays", "life", "name", "stepUpCents", "thresholdCents"])
  expect(draftProblems(draftOf(workspace)).size).toBe(0)
})

it("alert levels are ascending whole percentages", () => {
  expect(readAlertLevels("50%, 80 ;100")).toEqual([50, 80, 100])
  expect(readAlertLevels("")).toEqual([])
  for (
    const wrong of [
      "0",
      "1001",
      "50, 50",
      "a",
      "1.5",
      "1 2 3 4 5 6 7 8 9 10 11"
    ]
  ) expect(readAlertLevels(wrong), wrong).toBeUndefined()
})

it("a browser is recognized by its user agent string", () => {
  const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"
  expect(readUserAgent(`${mac} Version/17.4 Safari/605.1.15`)).toEqual({ browser: "Safari", system: "macOS" })
  expect(readUserAgent(`${mac} Chrome/140.0.0.0 Safari/537.36`)).toEqual({ browser: "Chrome", system: "macOS" })
  const linux = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101"
  expect(readUserAgent(`${linux} Firefox/130.0`)).toEqual({ browser: "Firefox", system: "Linux" })
  expect(readUserAgent("curl/8.9.1")).toEqual({ browser: "curl", system: undefined })
  expect(readUserAgent("undici")).toEqual({ browser: undefined, system: undefined })
})
