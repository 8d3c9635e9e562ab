import { appOptions, appProviderOf, bindDraftOf, bindingOfDraft, newBinding } from "@countersign/ui/agents/bind-draft"
import type { AppRow } from "@countersign/ui/hub/queries"
import { expect, test } from "vitest"

const app = (id: string, change: Partial<AppRow> = {}): AppRow => ({
  id: `app_${id}` as AppRow["id"],
  provider: "github",
  name: id,
  status: "connected",
  scopes: [],
  visibility: "private",
  owner_user_id: "usr_ada" as AppRow["owner_user_id"],
  created_at: "",
  ...change
})

test("a binding keeps, takes, and loses its connected app", () => {
  const binding = { ...newBinding, service: "issues", operations: ["*"], app_id: "app_1" }
  const draft = bindDraftOf(binding)
  expect(bindingOfDraft(binding, draft)["app_id"]).toBe("app_1")
  expect(bindingOfDraft(binding, { ...draft, app: "app_2" })["app_id"]).toBe("app_2")
  expect(bindingOfDraft(binding, { ...draft, app: undefined })).not.toHaveProperty("app_id")
})

test("the choice has the connected apps that the agent's owner can use, and the chosen one", () => {
  const apps = [
    app("own", { account: "octocat" }),
    app("shared", { visibility: "workspace", owner_user_id: "usr_bob" as AppRow["owner_user_id"] }),
    app("foreign", { owner_user_id: "usr_bob" as AppRow["owner_user_id"] }),
    app("ended", { status: "revoked" }),
    app("slack", { provider: "slack" })
  ]
  const texts = (owner: string | null, chosen?: string) =>
    appOptions(apps, "github", owner, chosen).map(({ text }) => text)
  expect(texts("usr_ada")).toEqual(["own (octocat)", "shared"])
  expect(texts(null)).toEqual(["shared"])
  expect(texts("usr_ada", "app_ended")).toEqual(["own (octocat)", "shared", "ended"])
  expect(texts("usr_ada", "app_gone")).toEqual(["own (octocat)", "shared", "app_gone"])
})

test("only a service whose credential names a provider has the choice", () => {
  expect(appProviderOf({ auth: { type: "oauth_app", app: "github" } })).toBe("github")
  expect(appProviderOf({ auth: { type: "oauth_app", app: "app_01m85tnae2ervtps7b3yzrnvcz" } })).toBeUndefined()
  expect(appProviderOf({ auth: { type: "bearer", secret: "x" } })).toBeUndefined()
  expect(appProviderOf({})).toBeUndefined()
})
