/** One collection: its search box with the passages found, its documents, and files on their way. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus, X } from "lucide-react"
import { type DragEvent, useRef, useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { collectionQuery, documentPages, documentQuery, type DocumentRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { sizeText } from "../storage/storage-words.ts"
import { figure } from "../text/catalogue.ts"
import { knowledgeText as t } from "../text/knowledge.ts"
import { PasteDialog, PickDialog } from "./add-dialogs.tsx"
import { Answers, AskForm } from "./answers.tsx"
import { DocumentDialog, RemoveDocumentDialog } from "./document-dialog.tsx"
import { addDocumentFiles, type DocumentFile, removeFile, useDocumentFiles } from "./document-files.ts"

import styles from "./knowledge-screen.module.css"
import { documentLook, failureWords, fileRefusal } from "./knowledge-words.ts"

type Shown = "paste" | "pick" | "remove"

const from = "/w/$workspace/knowledge/$collection"
/** Without a name, the browser's own list of types would leave out Markdown. */
const accepted = ".txt,.text,.log,.md,.markdown,.htm,.html,.pdf,.docx"

export const DocumentState = ({ document }: { readonly document: DocumentRow }) => {
  const { look, text, tone } = documentLook(document)
  return <Badge tone={tone} glyph={<StatusGlyph look={look} />}>{text}</Badge>
}

export const CollectionScreen = () => {
  const workspace = useWorkspaceId()
  const { collection: id } = useParams({ from })
  const { at, document: opened, q } = useSearch({ from })
  const navigate = useNavigate({ from })
  const queries = useQueryClient()
  const mayWrite = useCan()("knowledge:write")
  const mayPick = useCan()("storage:read")
  const mayAct = useMayAct()
  const collection = useQuery(collectionQuery(workspace, id))
  const single = useQuery({ ...documentQuery(workspace, id, opened ?? ""), enabled: opened !== undefined })
  const files = useDocumentFiles(id)
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [shown, setShown] = useState<Shown>()
  const [removing, setRemoving] = useState<DocumentRow>()
  const reindex = useAct("knowledge.reindex", { workspace, touches: ["knowledge"], done: t.reindexing.done })
  const name = collection.data?.name ?? t.title
  const toAll = { to: "/w/$workspace/knowledge", params: { workspace } } as const
  const ask = (question: string | undefined) => void navigate({ search: question === undefined ? {} : { q: question } })
  const open = (document: string, passage?: number) =>
    void navigate({
      search: (before) => ({ ...before, document, ...passage === undefined ? {} : { at: passage } })
    })
  const close = () => void navigate({ search: ({ at: _, document: __, ...before }) => before, replace: true })
  const add = (chosen: ReadonlyArray<File>) => addDocumentFiles(queries, workspace, id, chosen)
  useKey("everywhere.back", () => q === undefined ? void navigate(toAll) : ask(undefined), {
    when: opened === undefined && shown === undefined && removing === undefined
  })
  const hasFiles = (event: DragEvent) => mayWrite && mayAct && event.dataTransfer.types.includes("Files")
  const stale = collection.data !== undefined &&
    (collection.data.status === "reindexing" || collection.data.needs_reindex)

  return (
    <Page
      title={name}
      path={<Link quiet {...toAll}>{t.title}</Link>}
      layout="flush"
      action={mayWrite && collection.data !== undefined && (
        <span className="flex items-center gap-8">
          <Menu
            align="end"
            trigger={<Button variant="primary" icon={<Plus />} disabled={!mayAct}>{t.add}</Button>}
          >
            <MenuItem onSelect={() => input.current?.click()}>{t.addFiles}</MenuItem>
            <MenuItem onSelect={() => setShown("paste")}>{t.addText}</MenuItem>
            {mayPick && <MenuItem onSelect={() => setShown("pick")}>{t.addObject}</MenuItem>}
          </Menu>
          <Menu align="end" trigger={<IconButton label={t.menu(name)} icon={<Ellipsis />} />}>
            <MenuItem
              disabled={!mayAct || !collection.data.needs_reindex || collection.data.status === "reindexing"}
              onSelect={() => reindex.mutate({ params: { id } })}
            >
              {t.reindex}
            </MenuItem>
            <MenuItem danger disabled={!mayAct} onSelect={() => setShown("remove")}>{t.removeCollection}</MenuItem>
          </Menu>
        </span>
      )}
      filters={collection.data !== undefined && <AskForm key={q ?? ""} question={q} onAsk={ask} />}
    >
      <ScreenState query={collection}>
        <div
          className={`flex flex-col h-full min-h-0 ${styles.screen}`}
          onDragOver={(event) => {
            if (!hasFiles(event)) return
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
          }}
          onDrop={(event) => {
            if (!hasFiles(event)) return
            event.preventDefault()
            setOver(false)
            add([...event.dataTransfer.files])
          }}
        >
          <input
            ref={input}
            type="file"
            multiple
            hidden
            accept={accepted}
            aria-label={t.addFiles}
            onChange={({ currentTarget }) => {
              add([...currentTarget.files ?? []])
              currentTarget.value = ""
            }}
          />
          {stale && (
            <div className={`flex flex-wrap items-center gap-12 border-b type-body ${styles.notice}`} role="status">
              <span className="flex-1">
                {collection.data.status === "reindexing"
                  ? t.reindexing.running(collection.data.progress)
                  : t.reindexing.needed}
              </span>
              {mayWrite && collection.data.status !== "reindexing" && (
                <Button
                  size="small"
                  disabled={!mayAct}
                  pending={reindex.isPending}
                  onClick={() => reindex.mutate({ params: { id } })}
                >
                  {t.reindex}
                </Button>
              )}
            </div>
          )}
          {reindex.error !== null && <Problem inline error={reindex.error} failed={t.reindexing.failed} />}
          {files.length > 0 && <Files files={files} />}
          {q === undefined
            ? <Documents id={id} onOpen={(document) => open(document.id)} />
            : <Answers collection={id} question={q} onOpen={open} onClear={() => ask(undefined)} />}
          {isOver && (
            <div className={`grid items-center justify-items-center type-title ${styles.drop}`} role="status">
              {t.drop(name)}
            </div>
          )}
        </div>
      </ScreenState>
      {opened !== undefined && single.data !== undefined && removing === undefined && (
        <DocumentDialog
          key={`${opened} ${at ?? ""}`}
          document={single.data}
          at={at}
          mayWrite={mayWrite}
          onRemove={() => setRemoving(single.data)}
          onClose={close}
        />
      )}
      {removing !== undefined && (
        <RemoveDocumentDialog
          document={removing}
          onClose={() => setRemoving(undefined)}
          onDone={close}
        />
      )}
      {shown === "paste" && <PasteDialog collection={id} onClose={() => setShown(undefined)} />}
      {shown === "pick" && <PickDialog collection={id} onClose={() => setShown(undefined)} />}
      {shown === "remove" && collection.data !== undefined && (
        <RemoveDialog
          id={id}
          name={name}
          documents={collection.data.documents}
          onClose={() => setShown(undefined)}
          onDone={() => void navigate(toAll)}
        />
      )}
    </Page>
  )
}

const Documents = ({ id, onOpen }: { readonly id: string; readonly onOpen: (document: DocumentRow) => void }) => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("knowledge:write")
  const held = useHeldRows<DocumentRow>(documentPages(workspace, id))
  const { columns: heads } = t.documents
  const columns: ReadonlyArray<Column<DocumentRow>> = [
    {
      id: "title",
      head: heads.title,
      width: "minmax(200px, 2fr)",
      narrow: "lead",
      cell: (document) => (
        <span className="flex items-baseline gap-8 min-w-0">
          <span className="truncate">{document.title}</span>
          <span className="text-3 whitespace-nowrap">{t.documents.types[document.content_type]}</span>
        </span>
      )
    },
    {
      id: "state",
      head: heads.state,
      width: "minmax(168px, 2fr)",
      narrow: "under",
      cell: (document) => (
        <span className="flex items-center gap-8 min-w-0">
          <DocumentState document={document} />
          {document.status === "failed" && (
            <span className="truncate text-2" title={failureWords(document)}>{failureWords(document)}</span>
          )}
        </span>
      )
    },
    {
      id: "chunks",
      head: heads.chunks,
      width: "96px",
      end: true,
      from: 820,
      cell: ({ chunks }) => figure(chunks)
    },
    {
      id: "size",
      head: heads.size,
      width: "96px",
      end: true,
      narrow: "trail",
      cell: ({ size_bytes }) => sizeText(size_bytes)
    },
    {
      id: "added",
      head: heads.added,
      width: "168px",
      from: 640,
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    }
  ]
  if (held.pages.data !== undefined && held.rows.length === 0) {
    return (
      <EmptyState detail={mayWrite ? t.documents.emptyAbout : undefined}>
        {mayWrite ? t.documents.empty : t.documents.emptyReader}
      </EmptyState>
    )
  }
  return (
    <div className="flex-1 min-h-0">
      <HubTable
        endpoint="knowledge.listDocuments"
        workspace={workspace}
        held={held}
        label={t.documents.list}
        columns={columns}
        onOpen={onOpen}
        empty={{ text: t.documents.empty }}
        noMatch={t.documents.empty}
        onClear={undefined}
      />
    </div>
  )
}

const Files = ({ files }: { readonly files: ReadonlyArray<DocumentFile> }) => (
  <section className={`bg-surface border-b ${styles.files}`} aria-label={t.files.title}>
    <ul className="grid gap-8">
      {files.map(({ done, error, id, name, size }) => {
        const percent = size === 0 ? 100 : Math.floor(done / size * 100)
        return (
          <li key={id} className={`grid items-center gap-x-12 ${styles.file}`}>
            <span className="flex items-center gap-8 min-w-0">
              <StatusGlyph look={error === undefined ? "running" : "failed"} toned />
              <span className="truncate type-body" title={name}>{name}</span>
            </span>
            <span
              className={`type-note tabular-nums ${error === undefined ? "text-2" : "text-stop"}`}
              role={error === undefined ? undefined : "alert"}
            >
              {error === undefined ? t.files.sending(percent) : `${t.files.failed} ${fileRefusal(error)}`}
            </span>
            <IconButton
              label={error === undefined ? t.files.cancel(name) : t.files.dismiss(name)}
              icon={<X />}
              onClick={() => removeFile(id)}
            />
          </li>
        )
      })}
    </ul>
  </section>
)

const RemoveDialog = ({ documents, id, name, onClose, onDone }: {
  readonly id: string
  readonly name: string
  readonly documents: number
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const words = t.removing
  const remove = useAct("knowledge.removeCollection", {
    workspace: useWorkspaceId(),
    touches: ["knowledge.listCollections"],
    done: words.done(name),
    onDone
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={words.title(name)}
      description={
        <>
          <p>{words.about(documents)}</p>
          <p>{words.keeps}</p>
        </>
      }
      confirmText={words.act}
      onConfirm={() => remove.mutate({ params: { id } })}
      failed={words.failed}
      unchanged={words.unchanged}
    />
  )
}
