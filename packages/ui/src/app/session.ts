/** Who is signed in, where they are, and what they may do there. All of it is the hub's answer, kept in the query cache. */
import type { Permission } from "@countersign/domain/auth"
import type { Workspace } from "@countersign/domain/workspaces"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import type { Output } from "../hub/contract.ts"
import { hubQuery } from "../hub/queries.ts"

/** People belong to few; the rest would be reached by their links. */
const workspacesMax = 200

/** Every workspace of the person with its settings, `frozen` among them. */
export const workspacesQuery = hubQuery("workspaces.list", null, { query: { limit: workspacesMax } })
/** The person, and their permissions in a workspace; null: in the session's own. */
export const meQuery = (workspace: string | null) => hubQuery("auth.me", workspace, {})

/** In an address a workspace is its id; its name in small letters and dashes is understood too, if only one has it. */
export const slugOf = (name: string): string =>
  name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^-|-$/gu, "")

export const findWorkspace = <W extends { readonly id: string; readonly name: string }>(
  all: ReadonlyArray<W>,
  said: string
): W | undefined => {
  const byId = all.find(({ id }) => id === said)
  const bySlug = byId === undefined ? all.filter(({ name }) => slugOf(name) === said) : []
  return byId ?? (bySlug.length === 1 ? bySlug[0] : undefined)
}

/** The id in the address: below `/w/$workspace` it is one of the person's. */
export const useWorkspaceId = (): string => useParams({ from: "/w/$workspace" }).workspace

const none: ReadonlyArray<Workspace> = []

export const useWorkspaces = (): ReadonlyArray<Workspace> => useQuery(workspacesQuery).data?.data ?? none

/** The workspace of this screen. The route does not open before it is known. */
export const useWorkspace = (): Workspace => {
  const id = useWorkspaceId()
  const found = useWorkspaces().find((workspace) => workspace.id === id)
  if (found === undefined) throw new Error("This screen is outside of a workspace.")
  return found
}

export type Me = Output<"auth.me">

/** The person, with their permissions in this screen's workspace. */
export const useMe = (): Me => {
  const { data } = useQuery(meQuery(useWorkspaceId()))
  if (data === undefined) throw new Error("Nobody is signed in.")
  return data
}

/** `const can = useCan()`, `can("agents:write")`. The hub decides; this only says what is worth offering. */
export const useCan = (): (permission: Permission) => boolean => {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission)
}
