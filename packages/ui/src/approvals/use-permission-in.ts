/** Whether the person has a permission in a workspace that need not be the screen's. True while it is being read. */
import type { Permission } from "@countersign/domain/auth"
import { useQuery } from "@tanstack/react-query"
import { meQuery } from "../hub/queries.ts"

export const usePermissionIn = (workspace: string, permission: Permission): boolean =>
  useQuery(meQuery(workspace)).data?.permissions.includes(permission) ?? true
