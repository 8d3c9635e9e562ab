/** The signed-in person, their workspace, and their permissions there: all from the hub, in the query cache. */
import type { Permission } from "@countersign/domain/auth"
import type { Workspace } from "@countersign/domain/workspaces"
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useCallback } from "react"
import { meQuery, workspacesQuery } from "../hub/queries.ts"

/**
 * An address names a workspace by its id. It also accepts the name in lowercase with dashes if only one workspace has
 * it.
 */
export const slugOf = (name: string): string =>
  name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/gu, "-").replace(/^-|-$/gu, "")

export const findWorkspace = <W extends { readonly id: string; readonly name: string }>(
  all: ReadonlyArray<W>,
  idOrName: string
): W | undefined => {
  const byId = all.find(({ id }) => id === idOrName)
  const bySlug = byId === undefined ? all.filter(({ name }) => slugOf(name) === idOrName) : []
  return byId ?? (bySlug.length === 1 ? bySlug[0] : undefined)
}

/** The workspace id in the address; the route checks that it is one of the person's. */
export const useWorkspaceId = (): string => useParams({ from: "/w/$workspace" }).workspace

const none: ReadonlyArray<Workspace> = []

export const useWorkspaces = (): ReadonlyArray<Workspace> => useQuery(workspacesQuery).data?.data ?? none

/** The workspace of this screen. The route opens only after it is loaded. */
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

/**
 * `const can = useCan()`, `can("agents:write")`. The hub enforces permissions; this only decides which controls to
 * show.
 */
export const useCan = (): (permission: Permission) => boolean => {
  const { permissions } = useMe()
  return useCallback((permission) => permissions.includes(permission), [permissions])
}
