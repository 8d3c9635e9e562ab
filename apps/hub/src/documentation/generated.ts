/**
 * Tables that pages contain by a comment such as `<!-- generated: error-codes -->`. They are made from the contract, so
 * they are always those of this version. Pure.
 */
import { errorCodes } from "@countersign/domain/error-codes"
import { eventPermission, eventTypes } from "@countersign/domain/events"
import { approvalReasons, blockReasons, failureCodes, nextActions, outcomes } from "@countersign/domain/outcomes"
import { permissions, rolePermissions, roles } from "@countersign/domain/role-permissions"

const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")
}

const codesOf = (codes: Readonly<Record<string, string>>): string =>
  tableOf(["Code", "Meaning"], Object.entries(codes).map(([code, meaning]) => [`\`${code}\``, meaning]))

const tables: Readonly<Record<string, () => string>> = {
  "error-codes": () =>
    Object.entries(Object.groupBy(Object.entries(errorCodes), ([, { status }]) => String(status)))
      .map(([status, codes = []]) =>
        `## Status ${status}\n\n${
          tableOf(["Code", "Meaning"], codes.map(([code, { meaning }]) => [`\`${code}\``, meaning]))
        }`
      ).join("\n\n"),
  "outcomes": () =>
    tableOf(
      ["Status", "HTTP", "Meaning", "Next step"],
      Object.entries(outcomes).map((
        [status, { http_status, meaning, next }]
      ) => [`\`${status}\``, String(http_status), meaning, next])
    ),
  "block-reasons": () => codesOf(blockReasons),
  "approval-reasons": () => codesOf(approvalReasons),
  "failure-codes": () => codesOf(failureCodes),
  "next-actions": () => codesOf(nextActions),
  "permissions": () =>
    tableOf(
      ["Permission", ...roles],
      permissions.map((
        permission
      ) => [`\`${permission}\``, ...roles.map((role) => rolePermissions[role].has(permission) ? "yes" : "")])
    ),
  "events": () =>
    tableOf(
      ["Event", "Permission to read it"],
      eventTypes.map((type) => [`\`${type}\``, `\`${eventPermission[type]}\``])
    )
}

const mark = /<!-- generated: ([\w-]+) -->/gu

/** The names of the tables that a page asks for; the tests compare them with the existing ones. */
export const generatedNames: ReadonlySet<string> = new Set(Object.keys(tables))

export const withGenerated = (markdown: string): string =>
  markdown.replace(mark, (whole, name: string) => tables[name]?.() ?? whole)
