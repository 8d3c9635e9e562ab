/** The searchable part of a request's text for people: masked values are left out. */
import { mask, masksNothing } from "@countersign/domain/masking"
import { removedText } from "@countersign/domain/retention"
import { type OrgConfiguration, payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { foldText, requestText } from "./rules.ts"

interface Searched {
  readonly id: string
  readonly service: string
  readonly operation: string
}

/** Whether people see the whole payload, so that all of its text may match. */
export const isShownWhole = (org: OrgConfiguration, request: Pick<Searched, "service" | "operation">): boolean => {
  const schema = payloadSchemaOf(org, request)
  return schema !== undefined && masksNothing(schema)
}

/**
 * Folded. If a payload cannot be masked, because its schema no longer exists or it is too long or removed, only the
 * request's own fields.
 */
export const shownRequestText = (
  org: OrgConfiguration,
  { id, operation, payload, service }: Searched & { readonly payload: string | undefined }
): string => {
  const schema = payloadSchemaOf(org, { operation, service })
  if (schema === undefined || payload === undefined || payload === removedText) {
    return foldText(`${id} ${service}.${operation}`)
  }
  return requestText({ id, service, operation, payload: JSON.stringify(mask(schema, JSON.parse(payload))) })
}
