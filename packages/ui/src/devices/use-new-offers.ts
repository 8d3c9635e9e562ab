/**
 * Devices that announced more capabilities after an operator last granted them some. Capabilities that the operator
 * left out on purpose are not requested again: only the audit log has the order.
 */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { useCan } from "../app/session.ts"
import { auditQuery, type Device } from "../hub/queries.ts"
import { devicesWithNewOffers } from "./new-offers.ts"

const offersMax = 50
const grantsMax = 200
const everyMillis = 15_000

const entries = (workspace: string, action: string, limit: number) => ({
  ...auditQuery(workspace, action, limit),
  refetchInterval: everyMillis
})

/** The capabilities that a device requests beyond its grants. Requires the permission to read the log. */
export const useNewOffers = (
  workspace: string
): (device: Pick<Device, "id" | "capabilities" | "granted" | "state">) => Device["capabilities"] => {
  const enabled = useCan()("audit:read")
  const offers = useQuery({ ...entries(workspace, "device.offers_changed", offersMax), enabled }).data?.data
  const grants = useQuery({
    ...entries(workspace, "device.updated", grantsMax),
    enabled: enabled && (offers?.length ?? 0) > 0
  })
    .data?.data
  const asking = useMemo(
    () =>
      offers === undefined || grants === undefined
        ? new Set<string>()
        : devicesWithNewOffers(offers, grants, grants.length < grantsMax),
    [offers, grants]
  )
  return ({ capabilities, granted, id, state }) =>
    !asking.has(id) || state === "pending" || state === "revoked"
      ? []
      : capabilities.filter((tool) => !granted.includes(tool))
}
