/**
 * A request's body, or a note that the retention of this workspace removed it (`{ "$removed": true }` from the hub).
 */
import type { ReactNode } from "react"
import { keepingText as t } from "../text/keeping.ts"
import { useWorkspaces } from "./session.ts"

export const isRemoved = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 1 && "$removed" in value &&
  value.$removed === true

export interface KeptBodyProps {
  readonly value: unknown
  /** Id of its workspace. */
  readonly workspace: string | undefined
  /** Device commands have a separate retention period. */
  readonly ofDevice?: boolean
  readonly children: ReactNode
}

export const KeptBody = ({ children, ofDevice = false, value, workspace }: KeptBodyProps) => {
  const settings = useWorkspaces().find(({ id }) => id === workspace)
  const days = ofDevice ? settings?.device_output_days : settings?.retention_days
  return isRemoved(value)
    ? <p className="type-body text-2">{days === undefined ? t.removed : t.removedAfter(days)}</p>
    : children
}
