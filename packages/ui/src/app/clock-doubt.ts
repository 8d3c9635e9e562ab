/** Whether the hub refuses requests because its clock is unreliable. */
import { useQuery } from "@tanstack/react-query"
import { clockDoubtQuery } from "../hub/query-options.ts"

export const useClockDoubt = (): boolean => useQuery(clockDoubtQuery).data ?? false
