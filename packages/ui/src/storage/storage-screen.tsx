/** The files of a workspace by folder, the deleted ones, and the uploads of this page. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { FileIcon, Folder, Upload as UploadIcon } from "lucide-react"
import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { MenuItem } from "../components/menu.tsx"
import { Tabs } from "../components/tabs.tsx"
import { showToast } from "../components/toast.tsx"
import { hubClock } from "../hub/hub-time.ts"
import {
  deletedObjectPages,
  foldersQuery,
  objectPages,
  objectQuery,
  type ObjectRow,
  storageUsageQuery
} from "../hub/queries.ts"
import { copyText } from "../listing/copy-text.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { KeyedTable } from "../listing/keyed-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { curlOf } from "../requests/curl.ts"
import { actText as acts } from "../text/acts.ts"
import { listingText as listing } from "../text/listing.ts"
import { storageText as t } from "../text/storage.ts"
import { type ObjectAct, ObjectDialog } from "./object-dialog.tsx"
import { MetadataDialog, RemoveDialog, RenameDialog, RestoreDialog } from "./object-forms.tsx"
import { objectHref } from "./object-preview.tsx"
import styles from "./storage-screen.module.css"
import { foldersTo, nameOf, restorableUntil, sizeText } from "./storage-words.ts"
import { UploadsPanel } from "./uploads-panel.tsx"
import { addUploads, offerInterrupted, useUploads } from "./uploads.ts"

/** Folders first, then files. */
type Line = { readonly folder: string } | { readonly object: ObjectRow }

const from = "/w/$workspace/storage"
const time = (at: string) => <RelativeTime at={at} now={hubClock.now} />

export const StorageScreen = () => {
  const workspace = useWorkspaceId()
  const { object: opened, prefix: given = "", view } = useSearch({ from })
  const prefix = given === "" || given.endsWith("/") ? given : `${given}/`
  const navigate = useNavigate({ from })
  const queries = useQueryClient()
  const me = useMe().user.id
  const mayAct = useMayAct()
  const mayWrite = useCan()("storage:write")
  const uploads = useUploads(workspace, me)
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [act, setAct] = useState<{ readonly kind: ObjectAct; readonly object: ObjectRow }>()
  const single = useQuery({ ...objectQuery(workspace, opened ?? ""), enabled: opened !== undefined })
  const usage = useQuery(storageUsageQuery(workspace)).data
  const show = (search: { readonly prefix?: string; readonly view?: "deleted"; readonly object?: string }) =>
    void navigate({ search })
  const openObject = (object: ObjectRow) => void navigate({ search: (before) => ({ ...before, object: object.id }) })
  const closeObject = () => void navigate({ search: ({ object: _, ...before }) => before, replace: true })
  const parent = foldersTo(prefix).at(-2)
  const choose = () => input.current?.click()
  const add = (files: ReadonlyArray<File>) => addUploads({ queries, workspace, person: me, prefix, files })
  useEffect(() => {
    if (mayWrite) void offerInterrupted(queries, workspace, me)
  }, [mayWrite, queries, workspace, me])
  useCommands(mayWrite ? [{ id: "storage.choose", text: t.upload, run: choose }] : [])
  useKey("everywhere.back", () => show(parent === undefined ? {} : { prefix: parent }), {
    when: prefix !== "" && opened === undefined && act === undefined
  })

  const hasFiles = (event: DragEvent) => mayWrite && mayAct && event.dataTransfer.types.includes("Files")
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    setOver(false)
    const items = [...event.dataTransfer.items]
    const isFolder = (at: number) => items[at]?.webkitGetAsEntry()?.isDirectory === true
    const files = [...event.dataTransfer.files]
    const chosen = files.filter((_, at) => !isFolder(at))
    if (chosen.length < files.length) showToast({ text: t.noFolders })
    add(chosen)
  }

  const rowMenu = (object: ObjectRow) => (
    <RowMenu label={t.menu(nameOf(object.key))}>
      {() => (
        <>
          <MenuItem onSelect={() => openObject(object)}>{t.open}</MenuItem>
          {object.status === "live" && (
            <MenuItem render={<a href={objectHref(workspace, object.id, "attachment")} download />}>
              {t.download}
            </MenuItem>
          )}
          <MenuItem onSelect={() => copyText(object.key)}>{t.copyKey}</MenuItem>
          {mayWrite && object.status === "live" && (
            <>
              <MenuItem disabled={!mayAct} onSelect={() => setAct({ kind: "rename", object })}>{t.rename}</MenuItem>
              <MenuItem danger disabled={!mayAct} onSelect={() => setAct({ kind: "remove", object })}>
                {t.remove}
              </MenuItem>
            </>
          )}
        </>
      )}
    </RowMenu>
  )

  const closeAct = () => setAct(undefined)
  const folders = foldersTo(prefix)
  return (
    <Page
      title={prefix === "" ? t.title : nameOf(prefix)}
      path={prefix === "" ? undefined : (
        <>
          <Link quiet to={from} params={{ workspace }} search={{}}>{t.title}</Link>
          {folders.slice(0, -1).map((folder) => (
            <Crumb key={folder}>
              <Link quiet to={from} params={{ workspace }} search={{ prefix: folder }}>{nameOf(folder)}</Link>
            </Crumb>
          ))}
        </>
      )}
      layout="flush"
      action={mayWrite && (
        <Button variant="primary" icon={<UploadIcon />} disabled={!mayAct} onClick={choose}>{t.upload}</Button>
      )}
    >
      <div
        className={`h-full min-h-0 ${styles.screen}`}
        onDragOver={(event) => {
          if (!hasFiles(event)) return
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
        }}
        onDrop={onDrop}
      >
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t.upload}
          onChange={({ currentTarget }) => {
            add([...currentTarget.files ?? []])
            currentTarget.value = ""
          }}
        />
        <Tabs
          fill
          label={t.views}
          value={view ?? "files"}
          onChange={(value) => show(value === "deleted" ? { view: value } : {})}
          tabs={[{ value: "files", text: t.tabs.files }, { value: "deleted", text: t.tabs.deleted }]}
          aside={usage !== undefined && <Quota {...usage} />}
        >
          <div className={`flex flex-col h-full min-h-0`}>
            {uploads.length > 0 && <UploadsPanel uploads={uploads} mayAct={mayAct} />}
            {view === "deleted"
              ? <Deleted onOpen={openObject} onRestore={(object) => setAct({ kind: "restore", object })} />
              : (
                <Files
                  key={prefix}
                  prefix={prefix}
                  onFolder={(folder) => show({ prefix: folder })}
                  onOpen={openObject}
                  rowMenu={rowMenu}
                />
              )}
          </div>
        </Tabs>
        {isOver && (
          <div className={`grid items-center justify-items-center type-title ${styles.drop}`} role="status">
            {t.drop(prefix === "" ? t.title : prefix)}
          </div>
        )}
      </div>
      {single.data !== undefined && opened !== undefined && act === undefined && (
        <ObjectDialog
          object={single.data}
          mayWrite={mayWrite}
          onAct={(kind) => setAct({ kind, object: single.data })}
          onClose={closeObject}
        />
      )}
      {act?.kind === "rename" && <RenameDialog object={act.object} onClose={closeAct} />}
      {act?.kind === "metadata" && <MetadataDialog object={act.object} onClose={closeAct} />}
      {act?.kind === "remove" && <RemoveDialog object={act.object} onClose={closeAct} onDone={closeObject} />}
      {act?.kind === "restore" && <RestoreDialog object={act.object} onClose={closeAct} onDone={closeObject} />}
    </Page>
  )
}

const Crumb = ({ children }: { readonly children: ReactNode }) => (
  <>
    <span aria-hidden>/</span>
    {children}
  </>
)

const almostFull = 0.9

const Quota = ({ deleted_bytes, max_bytes, used_bytes }: {
  readonly used_bytes: number
  readonly deleted_bytes: number
  readonly max_bytes: number
}) => {
  const share = max_bytes === 0 ? 1 : Math.min(1, used_bytes / max_bytes)
  const words = used_bytes >= max_bytes
    ? t.quota.full(sizeText(max_bytes))
    : t.quota.used(sizeText(used_bytes), sizeText(max_bytes))
  const title = deleted_bytes === 0 ? words : `${words}, ${t.quota.deleted(sizeText(deleted_bytes))}`
  return (
    <span className={`flex items-center gap-8 type-note tabular-nums ${styles.quota}`} title={title}>
      <span className={styles.bar} data-near={share >= almostFull || undefined} aria-hidden>
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <span className={share >= almostFull ? "text-stop" : "text-2"}>{words}</span>
    </span>
  )
}

const Files = ({ onFolder, onOpen, prefix, rowMenu }: {
  readonly prefix: string
  readonly onFolder: (folder: string) => void
  readonly onOpen: (object: ObjectRow) => void
  readonly rowMenu: (object: ObjectRow) => ReactNode
}) => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("storage:write")
  const held = useHeldRows<ObjectRow>(objectPages(workspace, prefix))
  const folders = useQuery(foldersQuery(workspace, prefix))
  const { onRange } = held
  const before = folders.data?.data ?? []
  const isFirst = held.offset === 0
  const rows: ReadonlyArray<Line> = [
    ...isFirst ? before.map((folder) => ({ folder })) : [],
    ...held.rows.map((object) => ({ object }))
  ]
  const columns: ReadonlyArray<Column<Line>> = [
    {
      id: "name",
      head: t.columns.name,
      width: "minmax(200px, 2fr)",
      narrow: "lead",
      cell: (line) => (
        <span className="flex items-center gap-8 min-w-0">
          {"folder" in line
            ? <Folder aria-hidden size={16} className={styles.icon} />
            : <FileIcon aria-hidden size={16} className={styles.icon} />}
          <span className="truncate">{nameOf("folder" in line ? line.folder : line.object.key)}</span>
        </span>
      )
    },
    {
      id: "type",
      head: t.columns.type,
      width: "minmax(120px, 1fr)",
      from: 720,
      narrow: "under",
      cell: (line) =>
        "folder" in line
          ? <span className="text-3">{t.folder}</span>
          : <span className="text-2" title={line.object.content_type}>{line.object.content_type}</span>
    },
    {
      id: "size",
      head: t.columns.size,
      width: "100px",
      end: true,
      narrow: "trail",
      cell: (line) => "object" in line && sizeText(line.object.size_bytes)
    },
    {
      id: "added",
      head: t.columns.added,
      width: "168px",
      from: 560,
      narrow: "underTrail",
      cell: (line) => "object" in line && time(line.object.created_at)
    }
  ]
  return (
    <ScreenState
      query={folders.data === undefined ? folders : held.pages}
      isEmpty={rows.length === 0}
      empty={prefix === ""
        ? { text: t.empty, detail: mayWrite ? <EmptyDetail /> : t.emptyReader }
        : { text: t.emptyFolder }}
    >
      <KeyedTable
        label={t.list}
        columns={columns}
        rows={rows}
        rowId={(line) => "folder" in line ? line.folder : line.object.id}
        offset={isFirst ? 0 : held.offset + before.length}
        count={Math.max(held.count + before.length, rows.length)}
        onRange={(first, end) => onRange(Math.max(0, first - before.length), Math.max(0, end - before.length))}
        onOpen={(line) => "folder" in line ? onFolder(line.folder) : onOpen(line.object)}
        rowMenu={(line) => "object" in line && rowMenu(line.object)}
        loading={held.pages.isFetching && !held.pages.isRefetching}
        texts={{ loading: acts.loading, rowMenu: listing.rowMenu }}
      />
    </ScreenState>
  )
}

const EmptyDetail = () => {
  const command = curlOf(location.origin, {
    service: "storage",
    operation: "put",
    payload: { key: "notes/hello.txt", content: "Hello" }
  })
  return (
    <span className="grid grid-cols-1 justify-items-start gap-12 min-w-0">
      <span>{t.emptyAbout}</span>
      <code
        className={`type-mono wrap-anywhere w-full p-12 border rounded-panel bg-surface text-start ${styles.command}`}
      >
        {command}
      </code>
      <CopyButton value={command} texts={{ ...acts.copying, copy: t.copyCommand }} />
    </span>
  )
}

const Deleted = ({ onOpen, onRestore }: {
  readonly onOpen: (object: ObjectRow) => void
  readonly onRestore: (object: ObjectRow) => void
}) => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("storage:write")
  const mayAct = useMayAct()
  const held = useHeldRows<ObjectRow>(deletedObjectPages(workspace))
  const columns: ReadonlyArray<Column<ObjectRow>> = [
    {
      id: "name",
      head: t.columns.name,
      width: "minmax(200px, 2fr)",
      narrow: "lead",
      cell: ({ key }) => <span className="truncate" title={key}>{key}</span>
    },
    {
      id: "size",
      head: t.columns.size,
      width: "100px",
      end: true,
      from: 640,
      narrow: "underTrail",
      cell: ({ size_bytes }) => sizeText(size_bytes)
    },
    {
      id: "deleted",
      head: t.columns.deleted,
      width: "168px",
      from: 900,
      cell: ({ deleted_at }) => deleted_at !== undefined && time(deleted_at)
    },
    {
      id: "until",
      head: t.columns.until,
      width: "184px",
      from: 640,
      narrow: "under",
      cell: ({ deleted_at }) => deleted_at !== undefined && time(restorableUntil(deleted_at))
    },
    ...mayWrite
      ? [{
        id: "acts",
        head: <span className="sr-only">{listing.rowMenu}</span>,
        width: "104px",
        end: true,
        narrow: "trail" as const,
        cell: (object: ObjectRow) => (
          <Button
            size="small"
            disabled={!mayAct}
            aria-label={t.restoreIt(nameOf(object.key))}
            onClick={() => onRestore(object)}
          >
            {t.restore}
          </Button>
        )
      }]
      : []
  ]
  return (
    <ScreenState query={held.pages} isEmpty={held.rows.length === 0} empty={{ text: t.noneDeleted }}>
      <KeyedTable
        label={t.deletedList}
        columns={columns}
        rows={held.rows}
        rowId={({ id }) => id}
        offset={held.offset}
        count={held.count}
        onRange={held.onRange}
        onOpen={onOpen}
        loading={held.pages.isFetching && !held.pages.isRefetching}
        texts={{ loading: acts.loading, rowMenu: listing.rowMenu }}
      />
    </ScreenState>
  )
}
