/** The warnings of the hub about an imported service, before its creation. */
import type { Detail } from "@countersign/domain/errors"
import { useEffect, useState } from "react"
import { WarningList } from "../app/save-warnings.tsx"
import { Panel } from "../components/panel.tsx"
import { catalogText as t } from "../text/catalog.ts"
import { placeWords } from "./definition-place.ts"
import type { ImportPreviewProps } from "./import-preview.tsx"

/** Without the warnings of operations that were not picked; their messages begin with the operation's name. */
const ofPicked = (
  { operations, preview }: Pick<ImportPreviewProps, "operations" | "preview">
): ReadonlyArray<Detail> => {
  const picked = new Set(operations.map(({ operation }) => operation.name))
  const others = preview.operations.filter(({ name }) => !picked.has(name))
  return preview.warnings.filter(({ message }) => !others.some(({ name }) => message.startsWith(`${name}: `)))
}

export const ImportWarnings = ({ operations, preview }: Pick<ImportPreviewProps, "operations" | "preview">) => {
  const [later, setLater] = useState<ReadonlyArray<Detail>>([])
  useEffect(() => {
    let isLatest = true
    import("./checks.ts").then(
      ({ importedWarnings }) => isLatest && setLater(importedWarnings(operations)),
      // Without the checks, the hub shows the warnings when the service is created.
      () => {}
    )
    return () => {
      isLatest = false
    }
  }, [operations])
  const names = operations.map(({ operation }) => operation.name)
  const warnings = [
    ...ofPicked({ operations, preview }).map(({ message, path }) => ({ path: path === "auth" ? path : "", message })),
    ...later
  ]
  if (warnings.length === 0) return null
  return (
    <Panel title={t.import.warnings(warnings.length)}>
      <WarningList warnings={warnings} place={(path) => placeWords(t, names, path)} />
    </Panel>
  )
}
