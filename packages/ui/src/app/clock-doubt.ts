/** Whether the hub declines requests because its clock is in doubt. */
import { useQuery } from "@tanstack/react-query"
import { clockDoubtQuery } from "../hub/queries.ts"

export const useClockDoubt = (): boolean => useQuery(clockDoubtQuery).data ?? false
