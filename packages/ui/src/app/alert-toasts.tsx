/** Tells of a budget that passes a level while the console is open. It stays marked beside Agents until it was seen there. */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { showToast } from "../components/toast.tsx"
import { alertText } from "../text/alerts.ts"
import { useText } from "../text/catalogue.ts"
import { useAlertWords } from "./alert-words.ts"
import { isSeen, useKnownAlerts } from "./budget-alerts.ts"
import { useWorkspaceId } from "./session.ts"

/** More at once are told as a number. */
const toldOneByOneMax = 2

export const AlertToasts = () => {
  const t = useText(alertText)
  const words = useAlertWords()
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const known = useKnownAlerts()
  /** Alerts of this workspace that stood when it was opened, or were told since. */
  const told = useRef<{ readonly workspace: string; readonly ids: ReadonlySet<string> }>(undefined)
  useEffect(() => {
    if (known === undefined) return
    const before = told.current?.workspace === workspace ? told.current.ids : undefined
    told.current = { workspace, ids: new Set([...before ?? [], ...known.map(({ id }) => id)]) }
    // What the screen shows is seen by now: its effects ran before. A tab that nobody looks at leaves it to the mark beside Agents.
    const isLookedAt = before !== undefined && document.visibilityState === "visible"
    const fresh = isLookedAt ? known.filter(({ id }) => !before.has(id) && !isSeen(id)) : []
    if (fresh.length > toldOneByOneMax) {
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
        text: t.told(alert.agent.name, words.limit(alert), words.figures(alert)),
        action: { text: t.open, onPress: open }
      })
    }
  }, [known, navigate, t, words, workspace])
  return null
}
