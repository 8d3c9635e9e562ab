/** The templates that the hub ships, each with its steps and the operations that its agent needs. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { type Workflow, type WorkflowTemplate, workflowTemplates } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { stepTypeNames, workflowsText } from "../text/workflows.ts"
import { UseTemplateDialog } from "./create-dialogs.tsx"
import styles from "./workflows.module.css"

interface TemplatesPanelProps {
  readonly q: string | undefined
  readonly onClear: () => void
  readonly onMade: (workflow: Workflow) => void
}

/** All words must match. */
const matches = ({ category, description, name, operations }: WorkflowTemplate, q: string | undefined): boolean => {
  const text = [name, description, category, ...operations].join(" ").toLowerCase()
  return (q ?? "").toLowerCase().split(/\s+/u).every((word) => text.includes(word))
}

export const TemplatesPanel = ({ onClear, onMade, q }: TemplatesPanelProps) => {
  const t = workflowsText.templates
  const templates = useQuery(workflowTemplates(useWorkspaceId()))
  const mayWrite = useCan()("workflows:write")
  const mayAct = useMayAct()
  const [using, setUsing] = useState<WorkflowTemplate>()
  const rows = (templates.data?.data ?? []).filter((template) => matches(template, q))
  return (
    <ScreenState
      query={templates}
      isEmpty={rows.length === 0}
      empty={{ text: t.noMatch, action: <Button onClick={onClear}>{acts.clearFilters}</Button> }}
    >
      <p className="mb-16 type-body text-2">{t.about}</p>
      <ul className={`grid gap-16 ${styles.templates}`} aria-label={t.list}>
        {rows.map((template) => (
          <li key={template.id} className="grid">
            <Panel
              title={template.name}
              actions={mayWrite && (
                <Button
                  size="small"
                  disabled={!mayAct}
                  aria-label={t.actOf(template.name)}
                  onClick={() => setUsing(template)}
                >
                  {t.act}
                </Button>
              )}
            >
              <div className="grid gap-8">
                <p className="type-body text-2">{template.description}</p>
                <ol className={`flex flex-wrap gap-4 ${styles.chain}`} aria-label={t.steps}>
                  {template.definition.steps.map(({ label, type }) => (
                    <li key={label} title={stepTypeNames[type]}>
                      <Badge>{label}</Badge>
                    </li>
                  ))}
                </ol>
                <p className="type-note text-3 wrap-anywhere">
                  {template.operations.length === 0
                    ? t.needsNothing
                    : <Phrase text={t.needs} operations={<code>{template.operations.join(", ")}</code>} />}
                </p>
              </div>
            </Panel>
          </li>
        ))}
      </ul>
      {using !== undefined && (
        <UseTemplateDialog
          template={using}
          onClose={() => setUsing(undefined)}
          onMade={onMade}
        />
      )}
    </ScreenState>
  )
}
