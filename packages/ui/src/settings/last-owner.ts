import type { HubError } from "@countersign/hub-client/error"

/** The workspace needs this owner. An error with `required_by` has another reason, which is in its message. */
export const isLastOwner = (error: HubError | null): boolean =>
  error?.code === "last_owner" && error.data["required_by"] === undefined
