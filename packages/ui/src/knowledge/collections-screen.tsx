/** The collections of documents of a workspace. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { FormDialog } from "../app/form.tsx"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { TextArea } from "../components/fields.tsx"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { collectionPages, type CollectionRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { FilterLine } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { figure } from "../text/catalogue.ts"
import { knowledgeText as t } from "../text/knowledge.ts"
import { collectionLook } from "./knowledge-words.ts"

const from = "/w/$workspace/knowledge"

export const CollectionState = ({ collection }: { readonly collection: CollectionRow }) => {
  const { look, text, tone } = collectionLook(collection)
  return <Badge tone={tone} glyph={<StatusGlyph look={look} />}>{text}</Badge>
}

export const CollectionsScreen = () => {
  const workspace = useWorkspaceId()
  const { q } = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayWrite = useCan()("knowledge:write")
  const mayAct = useMayAct()
  const held = useHeldRows<CollectionRow>(collectionPages(workspace, q))
  const [isCreating, setCreating] = useState(false)
  const create = () => setCreating(true)
  const clear = () => void navigate({ search: {} })
  const toCollection = (collection: string) =>
    ({ to: "/w/$workspace/knowledge/$collection", params: { workspace, collection } }) as const
  useCommands(mayWrite ? [{ id: "knowledge.create", text: t.create, run: create }] : [])
  const isEmpty = held.pages.data !== undefined && held.rows.length === 0 && q === undefined
  const button = mayWrite && (
    <Button variant="primary" icon={<Plus />} disabled={!mayAct} onClick={create}>{t.create}</Button>
  )
  const columns: ReadonlyArray<Column<CollectionRow>> = [
    {
      id: "name",
      head: t.columns.name,
      width: "minmax(200px, 2fr)",
      narrow: "lead",
      cell: ({ description, id, name }) => (
        <span className="flex items-baseline gap-8 min-w-0">
          <Link quiet className="truncate" {...toCollection(id)}>{name}</Link>
          <span className="truncate text-3">{description}</span>
        </span>
      )
    },
    {
      id: "state",
      head: t.columns.state,
      width: "180px",
      narrow: "under",
      cell: (collection) => <CollectionState collection={collection} />
    },
    {
      id: "documents",
      head: t.columns.documents,
      width: "110px",
      end: true,
      narrow: "trail",
      cell: ({ documents }) => figure(documents)
    },
    {
      id: "chunks",
      head: t.columns.chunks,
      width: "110px",
      end: true,
      from: 760,
      cell: ({ chunks }) => figure(chunks)
    },
    {
      id: "created",
      head: t.columns.created,
      width: "168px",
      from: 640,
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    }
  ]
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching && !held.pages.isRefetching}
      action={!isEmpty && button}
      filters={!isEmpty && (
        <FilterLine
          search={{ value: q, label: t.searchNames }}
          filters={[]}
          change={(changes) => void navigate({ search: (before) => ({ ...before, ...changes }) })}
          clear={clear}
        />
      )}
    >
      {isEmpty
        ? <EmptyState detail={t.emptyAbout} action={button}>{t.empty}</EmptyState>
        : (
          <HubTable
            endpoint="knowledge.listCollections"
            workspace={workspace}
            held={held}
            label={t.list}
            columns={columns}
            onOpen={({ id }) => void navigate(toCollection(id))}
            empty={{ text: t.empty }}
            noMatch={t.noMatch}
            onClear={q === undefined ? undefined : clear}
          />
        )}
      {isCreating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={(id) => void navigate(toCollection(id))}
        />
      )}
    </Page>
  )
}

const CreateDialog = ({ onClose, onCreated }: {
  readonly onClose: () => void
  readonly onCreated: (id: string) => void
}) => {
  const words = t.creating
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const create = useAct("knowledge.createCollection", {
    workspace: useWorkspaceId(),
    touches: ["knowledge.listCollections"],
    done: ({ name }) => words.done(name),
    onDone: ({ id }) => onCreated(id)
  })
  return (
    <FormDialog
      title={words.title}
      description={words.about}
      act={words.act}
      call={create}
      failed={words.failed}
      unchanged={words.unchanged}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({
          payload: {
            name: name.trim(),
            ...description.trim() === "" ? {} : { description: description.trim() }
          }
        })}
    >
      <TextField label={words.name} value={name} onChange={setName} maxLength={100} required path="name" />
      <TextArea
        label={words.description}
        value={description}
        onChange={setDescription}
        maxLength={1_000}
        path="description"
      />
    </FormDialog>
  )
}
