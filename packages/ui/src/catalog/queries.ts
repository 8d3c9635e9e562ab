import type { Service } from "../hub/choices.ts"
import { hubQuery } from "../hub/queries.ts"

export type { Service }
export type Operation = Service["operations"][number]
export type Price = Operation["price"]

export const serviceQuery = (workspace: string, name: string) => hubQuery("services.get", workspace, { params: { name } })
