/** Files on their way into collections. They continue while the person visits other screens. */
import type { QueryClient } from "@tanstack/react-query"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { sendBytes, sendFile } from "../storage/send-file.ts"
import { fileSha256 } from "../storage/sha256.ts"
import { documentTypeOf } from "./knowledge-words.ts"

export interface DocumentFile {
  readonly id: string
  readonly workspace: string
  readonly collection: string
  readonly name: string
  readonly size: number
  /** Bytes that were sent. */
  readonly done: number
  readonly error?: unknown
}

/** `documentBytesMax` of the contract. */
export const documentBytesMax = 10 * 1024 * 1024

const files = sharedValue<ReadonlyArray<DocumentFile>>([])
const stops = new Map<string, AbortController>()
/** One after the other: the hub reads one document at a time anyway. */
let last: Promise<void> = Promise.resolve()

export const useDocumentFiles = (collection: string): ReadonlyArray<DocumentFile> =>
  useSharedValue(files).filter((each) => each.collection === collection)

const change = (id: string, to: Partial<DocumentFile>): void =>
  files.set(files.get().map((each) => each.id === id ? { ...each, ...to } : each))

export const removeFile = (id: string): void => {
  stops.get(id)?.abort()
  stops.delete(id)
  files.set(files.get().filter((each) => each.id !== id))
}

/** The desktop app sends bytes to storage only: the file is stored, added from there, and deleted. */
const throughStorage = async (
  queries: QueryClient,
  { collection, workspace }: DocumentFile,
  file: File,
  type: string,
  signal: AbortSignal,
  onProgress: (bytes: number) => void
): Promise<void> => {
  const hub = hubOf(queries)
  const options = { workspace, signal }
  let object = ""
  await sendFile(hub, file, {
    ...options,
    object: {
      key: `documents/${crypto.randomUUID()}/${file.name}`,
      content_type: type,
      size_bytes: file.size,
      sha256: await fileSha256(file, signal, () => {})
    },
    onReserved: (reserved) => object = reserved,
    onProgress
  })
  await hub.call("storage.confirm", { params: { id: object } }, options)
  await hub.call("knowledge.addDocument", { params: { id: collection }, payload: { object_id: object } }, options)
  await hub.call("storage.remove", { params: { id: object } }, options)
}

const send = async (queries: QueryClient, row: DocumentFile, file: File): Promise<void> => {
  const { collection, id, workspace } = row
  const stop = stops.get(id)
  if (stop === undefined) return
  const onProgress = (done: number) => change(id, { done: Math.min(done, row.size) })
  try {
    const type = documentTypeOf(file)
    const hub = hubOf(queries)
    if (hub.upload !== undefined) await throughStorage(queries, row, file, type, stop.signal, onProgress)
    else {
      const form = new FormData()
      form.append("file", new File([file], file.name, { type }))
      await sendBytes({
        method: "POST",
        url: `/api/v1/knowledge/collections/${collection}/documents`,
        headers: { "svc-workspace": workspace },
        body: form,
        onProgress,
        signal: stop.signal
      })
    }
    removeFile(id)
    await touch(queries, workspace, ["knowledge"])
  } catch (error) {
    if (!stop.signal.aborted) change(id, { error })
  }
}

export const addDocumentFiles = (
  queries: QueryClient,
  workspace: string,
  collection: string,
  chosen: ReadonlyArray<File>
): void => {
  for (const file of chosen) {
    const row: DocumentFile = {
      id: crypto.getRandomValues(new Uint32Array(4)).join("-"),
      workspace,
      collection,
      name: file.name,
      size: file.size,
      done: 0
    }
    stops.set(row.id, new AbortController())
    files.set([...files.get(), row])
    last = last.then(() => send(queries, row, file))
  }
}
