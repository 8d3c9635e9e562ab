/** Lists that several screens use for choices and names: one definition for each. */
import type { Row } from "@countersign/hub-client/contract"
import { hubAll, hubQuery } from "./queries.ts"

/** Maximum rows of one answer; a name beyond them is shown by its id. */
const rowsMax = 200

/** Without schemas; a screen that needs them fetches the service. */
export type Service = Row<"services.list">

/** The newest agents. */
export const agentChoices = (workspace: string) => hubQuery("agents.list", workspace, { query: { limit: rowsMax } })
export const memberChoices = (workspace: string) => hubQuery("members.list", workspace, { query: { limit: rowsMax } })
export const secretChoices = (workspace: string) => hubQuery("secrets.list", workspace, { query: { limit: rowsMax } })
/** The person's own views and the shared ones, of every screen. */
export const viewChoices = (workspace: string) => hubAll("views.list", workspace)
/** The whole catalog ordered by name: a workspace may declare 500 services in addition to the built-in ones. */
export const allServices = (workspace: string) => hubAll("services.list", workspace)
