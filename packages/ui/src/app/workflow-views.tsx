/** The views of workflows and of what starts them: links that look like tabs, because each view has its own address. */
import { Link as RouterLink } from "@tanstack/react-router"
import tabs from "../components/tabs.module.css"
import { workflowsText } from "../text/workflows.ts"
import views from "./agent-views.module.css"
import { useCan, useWorkspaceId } from "./session.ts"

const places = [
  { name: "list", to: "/w/$workspace/workflows", search: {}, permission: "workflows:read" },
  { name: "templates", to: "/w/$workspace/workflows", search: { view: "templates" }, permission: "workflows:read" },
  { name: "runs", to: "/w/$workspace/workflow-runs", search: {}, permission: "workflows:read" },
  { name: "schedules", to: "/w/$workspace/schedules", search: {}, permission: "schedules:read" },
  { name: "triggers", to: "/w/$workspace/triggers", search: {}, permission: "triggers:read" }
] as const

export const WorkflowViews = ({ current }: { readonly current: (typeof places)[number]["name"] }) => {
  const t = workflowsText.views
  const workspace = useWorkspaceId()
  const can = useCan()
  return (
    <nav aria-label={t.label} className={`${tabs.list} ${views.views}`}>
      {places.filter(({ permission }) => can(permission)).map(({ name, search, to }) => (
        <RouterLink
          key={name}
          className={tabs.tab}
          to={to}
          params={{ workspace }}
          search={search}
          aria-current={name === current ? "page" : undefined}
          data-active={name === current || undefined}
        >
          {t[name]}
        </RouterLink>
      ))}
    </nav>
  )
}
