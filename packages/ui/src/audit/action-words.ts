/** Texts for codes of the audit log. Codes that a newer hub adds are spelled out. */
import { useMemo } from "react"
import { approvalText } from "../text/approvals.ts"
import { auditActionText } from "../text/audit-actions.ts"
import { requestsText } from "../text/requests.ts"

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `plan_tool.run_started` becomes "Plan tool: run started". */
export const spelledOut = (code: string): string => capitalized(code.replaceAll("_", " ").replaceAll(".", ": ").trim())

export const useAuditWords = () => {
  const actions = auditActionText as Readonly<Record<string, string>>
  const { reasons, statuses } = requestsText
  const { status } = approvalText
  return useMemo(() => {
    const decisions = Object.fromEntries(Object.entries(status).map(([code, word]) => [code, capitalized(word)]))
    const outcomes: Readonly<Record<string, string>> = { ...decisions, ...statuses, ...reasons }
    return {
      action: (code: string): string => actions[code] ?? spelledOut(code),
      outcome: (code: string | undefined): string => code === undefined ? "" : outcomes[code] ?? spelledOut(code)
    }
  }, [actions, reasons, status, statuses])
}
