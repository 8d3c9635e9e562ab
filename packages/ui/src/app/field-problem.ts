/** The hub's validation errors, mapped to the fields of a form. */
import { isHubError } from "@countersign/hub-client/error"

/** The errors of the field at `path` and, with `within`, of the paths below it, joined into one text. */
export const fieldProblem = (error: unknown, path: string, within = false): string | undefined => {
  if (!isHubError(error)) return undefined
  const found = error.details.filter((detail) => detail.path === path || within && detail.path.startsWith(`${path}.`))
  if (found.length === 0) return undefined
  return found.map((detail) =>
    detail.path === path ? detail.message : `${detail.path.slice(path.length + 1)}: ${detail.message}`
  ).join(" ")
}

/** Whether the error has a part that belongs to none of these fields and must be shown for the whole form. */
export const isUnplaced = (error: unknown, paths: ReadonlyArray<string>): boolean =>
  error !== null && error !== undefined &&
  (!isHubError(error) || error.details.length === 0 ||
    error.details.some((detail) => !paths.some((path) => detail.path === path || detail.path.startsWith(`${path}.`))))

/**
 * Whether every amount and number in the form is valid. An invalid one has an empty value and must not be sent as such.
 */
export const isReadable = (form: Element): boolean => form.querySelector("[data-unreadable]") === null
