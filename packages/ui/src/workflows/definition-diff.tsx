/** The changes between two versions, part by part. */
import { useMemo } from "react"
import { Badge } from "../components/badge.tsx"
import { PayloadDiff } from "../patterns/payload-diff.tsx"
import { payloadText } from "../text/payload.ts"
import { workflowsText } from "../text/workflows.ts"
import { type Definition, definitionChanges } from "./definition-changes.ts"
import styles from "./workflows.module.css"

interface DefinitionDiffProps {
  readonly before: Definition | undefined
  readonly after: Definition
  /** Shown when nothing differs. */
  readonly same: string
}

export const DefinitionDiff = ({ after, before, same }: DefinitionDiffProps) => {
  const t = workflowsText.change
  const changes = useMemo(() => definitionChanges(before, after), [before, after])
  if (changes.length === 0) return <p className="type-body text-2">{same}</p>
  return (
    <dl aria-label={t.list}>
      {changes.map(({ after, before, kind, name, part }) => (
        <div key={`${part} ${name}`} className={styles.change}>
          <dt className="grid gap-4 justify-items-start type-body wrap-anywhere">
            <span>{name === "" ? t[part === "input" ? "inputSchema" : "outputTemplate"] : name}</span>
            <Badge tone={kind === "removed" ? "stop" : kind === "added" ? "ok" : "neutral"}>
              {`${t[part]} ${t[kind]}`}
            </Badge>
          </dt>
          <dd className="min-w-0">
            <PayloadDiff before={before} after={after} texts={payloadText} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
