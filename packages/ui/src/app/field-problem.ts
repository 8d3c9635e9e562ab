/** What the hub found wrong with one field of what was sent, to stand beside that field. */
import { isHubError } from "../hub/error.ts"

/** Of the field at `path` and, where `within`, of what is below it; several are one text. */
export const fieldProblem = (error: unknown, path: string, within = false): string | undefined => {
  if (!isHubError(error)) return undefined
  const found = error.details.filter((detail) => detail.path === path || within && detail.path.startsWith(`${path}.`))
  if (found.length === 0) return undefined
  return found.map((detail) =>
    detail.path === path ? detail.message : `${detail.path.slice(path.length + 1)}: ${detail.message}`
  ).join(" ")
}

/** Whether the error says something that stands beside none of these fields, so that it must be told as a whole. */
export const isUnplaced = (error: unknown, paths: ReadonlyArray<string>): boolean =>
  error !== null && error !== undefined &&
  (!isHubError(error) || error.details.length === 0 ||
    error.details.some((detail) => !paths.some((path) => detail.path === path || detail.path.startsWith(`${path}.`))))

/** Whether all that was typed into amounts and numbers can be read: what can not counts as empty, and must not be sent as that. */
export const isReadable = (form: Element): boolean => form.querySelector("[data-unreadable]") === null
