/**
 * Imports a service from an OpenAPI document in three steps: the document, the operations and prices, and a preview.
 */
import type { Output } from "@countersign/hub-client/contract"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { catalogText as t } from "../text/catalog.ts"
import { ImportPick } from "./import-pick.tsx"
import { ImportSource, type Source } from "./import-source.tsx"

export const ImportScreen = () => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("catalog:write")
  const [read, setRead] = useState<{ readonly source: Source; readonly preview: Output<"services.previewImport"> }>()
  return (
    <Page
      title={t.import.title}
      path={
        <Link quiet to="/w/$workspace/catalog" params={{ workspace }}>
          {t.title}
        </Link>
      }
    >
      {!mayWrite
        ? <EmptyState>{t.noWrite}</EmptyState>
        : read === undefined
        ? <ImportSource onRead={(source, preview) => setRead({ source, preview })} />
        : <ImportPick source={read.source} preview={read.preview} onBack={() => setRead(undefined)} />}
    </Page>
  )
}
