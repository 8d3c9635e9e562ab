/** The uploads of this page, and those that an earlier page did not finish. */
import { X } from "lucide-react"
import { useRef } from "react"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import type { StatusLook } from "../patterns/status.ts"
import { storageText } from "../text/storage.ts"
import styles from "./storage-screen.module.css"
import { nameOf, refusalWords, sizeText } from "./storage-words.ts"
import {
  cancelUpload,
  clearDone,
  replaceObject,
  resumeUpload,
  retryUpload,
  type Upload,
  type UploadState
} from "./uploads.ts"

const t = storageText.uploads

const looks: Readonly<Record<UploadState["kind"], StatusLook>> = {
  waiting: "waiting",
  reading: "running",
  sending: "running",
  confirming: "running",
  done: "executed",
  taken: "waiting",
  failed: "failed",
  interrupted: "waiting"
}

const percentOf = (done: number, size: number): number => size === 0 ? 100 : Math.floor(done / size * 100)

const wordsOf = ({ key, size, state }: Upload): string => {
  const { states } = t
  if (state.kind === "reading") return states.reading(percentOf(state.done, size))
  if (state.kind === "sending") {
    return states.sending(sizeText(Math.min(state.done, size)), sizeText(size), percentOf(state.done, size))
  }
  if (state.kind === "failed") return `${t.failed} ${refusalWords(state.error)}`
  if (state.kind !== "interrupted" || state.difference === undefined) return states[state.kind]
  if (state.difference === "name") return states.otherName(nameOf(key))
  return state.difference === "size" ? states.otherSize(sizeText(size)) : states.otherContent
}

export const UploadsPanel = ({ mayAct, uploads }: {
  readonly uploads: ReadonlyArray<Upload>
  readonly mayAct: boolean
}) => (
  <section className={`bg-surface border-b ${styles.uploads}`} aria-label={t.title}>
    <div className="flex items-center justify-between gap-8">
      <h2 className="type-label text-2">{t.title}</h2>
      {uploads.some(({ state }) => state.kind === "done") && (
        <Button size="small" variant="bare" onClick={clearDone}>{t.clear}</Button>
      )}
    </div>
    <ul className="grid gap-8">
      {uploads.map((upload) => <UploadRow key={upload.id} upload={upload} mayAct={mayAct} />)}
    </ul>
  </section>
)

const UploadRow = ({ mayAct, upload }: { readonly upload: Upload; readonly mayAct: boolean }) => {
  const { id, key, size, state } = upload
  const name = nameOf(key)
  const input = useRef<HTMLInputElement>(null)
  const done = state.kind === "sending" ? state.done : state.kind === "confirming" ? size : undefined
  const isOver = state.kind === "done" || state.kind === "interrupted" || state.kind === "failed"
  return (
    <li className={`grid items-center gap-x-12 ${styles.uploadRow}`}>
      <span className="flex items-center gap-8 min-w-0">
        <StatusGlyph look={looks[state.kind]} toned />
        <span className="truncate type-body" title={key}>{name}</span>
      </span>
      <span
        className={`type-note tabular-nums ${styles.uploadState} ${state.kind === "failed" ? "text-stop" : "text-2"}`}
        role={state.kind === "failed" || state.kind === "taken" ? "alert" : undefined}
      >
        {wordsOf(upload)}
      </span>
      <span className="flex items-center justify-end gap-8">
        {state.kind === "taken" && (
          <>
            <Button size="small" onClick={() => cancelUpload(id)}>{t.skip}</Button>
            <Button size="small" disabled={!mayAct} onClick={() => replaceObject(id)}>{t.replace}</Button>
          </>
        )}
        {state.kind === "failed" && (
          <Button size="small" disabled={!mayAct} onClick={() => retryUpload(id)}>{t.retry}</Button>
        )}
        {state.kind === "interrupted" && (
          <>
            <input
              ref={input}
              type="file"
              hidden
              onChange={({ currentTarget }) => {
                const [file] = currentTarget.files ?? []
                currentTarget.value = ""
                if (file !== undefined) void resumeUpload(id, file)
              }}
            />
            <Button size="small" disabled={!mayAct} onClick={() => input.current?.click()}>{t.choose}</Button>
          </>
        )}
        {state.kind !== "taken" && (
          <IconButton
            label={isOver ? t.dismiss(name) : t.cancel(name)}
            icon={<X />}
            onClick={() => cancelUpload(id)}
          />
        )}
      </span>
      {done !== undefined && (
        <span
          className={styles.bar}
          role="progressbar"
          aria-label={t.progress(name)}
          aria-valuenow={percentOf(done, size)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <span style={{ inlineSize: `${percentOf(done, size)}%` }} />
        </span>
      )}
    </li>
  )
}
