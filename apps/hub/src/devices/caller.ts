/** Callers of a device's endpoints. */
import type { DevicePrincipal, UserPrincipal } from "@countersign/domain/auth"

/** A device, or its owner. */
export type DeviceCaller = DevicePrincipal | UserPrincipal

/** Whether the caller reports for the device: the device itself, or its owner. */
export const actsFor = (
  caller: DeviceCaller,
  device: { readonly id: string; readonly owner_user_id: string }
): boolean => caller.kind === "device" ? caller.device_id === device.id : caller.user_id === device.owner_user_id
