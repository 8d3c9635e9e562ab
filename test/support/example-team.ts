/** An example team with a pool, a lead with an allocation, and invites, created over HTTP as a person does it. */
import type { Ask } from "./example-fleet.ts"

export interface ExampleTeam {
  readonly team: string
  /** The token of a pending invite of a new person. */
  readonly token: string
}

export const makeExampleTeam = async (ask: Ask, workspace: string): Promise<ExampleTeam> => {
  const create = (name: string, description: string) => ask("POST", "/teams", { body: { name, description } })
  const fund = (path: string, cents: number) =>
    ask("POST", path, { body: { amount_cents: cents, direction: "allocate" } })
  const invite = (email: string, more: object = {}) =>
    ask("POST", `/orgs/${workspace}/invites`, { body: { email, role: "member", ...more } })
  const { id: team } = await create("Research", "Finds suppliers, and compares their prices.")
  await create("Support", "Answers customers.")
  await fund(`/teams/${team}/budget`, 1_000)
  const { user } = await ask("GET", "/auth/me")
  await ask("POST", `/teams/${team}/members`, { body: { user_id: user.id, role: "lead" } })
  await fund(`/teams/${team}/workers/${user.id}/budget/allocate`, 200)
  await ask("POST", "/agents", { body: { name: "Buyer", team_id: team } })
  const { id: revoked } = await invite("tim@example.com")
  await ask("DELETE", `/orgs/${workspace}/invites/${revoked}`)
  const { token } = await invite("lea@example.com", { team_id: team, team_role: "lead" })
  return { team, token }
}
