/** The views of agents: links that look like tabs, because each view has its own address. */
import { Link as RouterLink } from "@tanstack/react-router"
import tabs from "../components/tabs.module.css"
import { familiesText } from "../text/families.ts"
import styles from "./agent-views.module.css"
import { useWorkspaceId } from "./session.ts"

const views = [
  ["list", "/w/$workspace/agents"],
  ["families", "/w/$workspace/agents/families"],
  ["tasks", "/w/$workspace/tasks"]
] as const

export const AgentViews = ({ current }: { readonly current: (typeof views)[number][0] }) => {
  const t = familiesText.views
  const workspace = useWorkspaceId()
  return (
    <nav aria-label={t.label} className={`${tabs.list} ${styles.views}`}>
      {views.map(([name, to]) => (
        <RouterLink
          key={name}
          className={tabs.tab}
          to={to}
          params={{ workspace }}
          aria-current={name === current ? "page" : undefined}
          data-active={name === current || undefined}
        >
          {t[name]}
        </RouterLink>
      ))}
    </nav>
  )
}
