import type { Output } from "@countersign/hub-client/contract"
import { hubQuery } from "../hub/queries.ts"

export type Service = Output<"services.get">
export type Operation = Service["operations"][number]
export type Price = Operation["price"]

export const serviceQuery = (workspace: string, name: string) =>
  hubQuery("services.get", workspace, { params: { name } })
