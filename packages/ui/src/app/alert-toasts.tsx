/**
 * Shows a toast when a budget passes an alert level while the console is open. The alert stays marked beside Agents
 * until the person opens that page.
 */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { showToast } from "../components/toast.tsx"
import { alertText as t } from "../text/alerts.ts"
import { useAlertWords } from "./alert-words.ts"
import { isSeen, useKnownAlerts } from "./budget-alerts.ts"
import { useWorkspaceId } from "./session.ts"

/** More alerts than this at once are shown as one number. */
const singleToastsMax = 2

export const AlertToasts = () => {
  const words = useAlertWords()
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const known = useKnownAlerts()
  /** Alerts of this workspace that existed when it was opened, or that were announced since. */
  const announced = useRef<{ readonly workspace: string; readonly ids: ReadonlySet<string> }>(undefined)
  useEffect(() => {
    if (known === undefined) return
    const before = announced.current?.workspace === workspace ? announced.current.ids : undefined
    announced.current = { workspace, ids: new Set([...before ?? [], ...known.map(({ id }) => id)]) }
    // Effects of the screen ran before this one, so alerts on screen are already marked as seen. A hidden tab shows no
    // toast; the mark beside Agents remains.
    const isVisible = before !== undefined && document.visibilityState === "visible"
    const fresh = isVisible ? known.filter(({ id }) => !before.has(id) && !isSeen(id)) : []
    if (fresh.length > singleToastsMax) {
      showToast({
        text: t.several(fresh.length),
        action: {
          text: t.openAgents,
          onPress: () => void navigate({ to: "/w/$workspace/agents", params: { workspace } })
        }
      })
      return
    }
    for (const alert of fresh) {
      const open = () => void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: alert.agent.id } })
      showToast({
        text: t.reached(alert.agent.name, words.limit(alert), words.figures(alert)),
        action: { text: t.open, onPress: open }
      })
    }
  }, [known, navigate, words, workspace])
  return null
}
