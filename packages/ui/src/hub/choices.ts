/** Lists that several screens choose from and look names up in: one definition for each. */
import type { Row } from "./contract.ts"
import { hubAll, hubQuery } from "./queries.ts"

/** The most rows that one answer holds; a name beyond them is shown by its id. */
const rowsMax = 200

/** Without schemas: a screen that needs them reads the service. */
export type Service = Row<"services.list">

/** The newest agents. */
export const agentChoices = (workspace: string) => hubQuery("agents.list", workspace, { query: { limit: rowsMax } })
export const memberChoices = (workspace: string) => hubQuery("members.list", workspace, { query: { limit: rowsMax } })
export const secretChoices = (workspace: string) => hubQuery("secrets.list", workspace, { query: { limit: rowsMax } })
/** The person's own views and the shared ones, of every screen. */
export const viewChoices = (workspace: string) => hubAll("views.list", workspace)
/** The whole catalog in order of name: a workspace may declare 500 services beside the shipped ones. */
export const allServices = (workspace: string) => hubAll("services.list", workspace)
