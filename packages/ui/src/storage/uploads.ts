/**
 * The uploads of this page. They continue while the person visits other screens, and stop when the page is closed: then
 * they are offered again from `kept-uploads.ts`.
 */
import type { StorageObject } from "@countersign/domain/storage"
import { isHubError } from "@countersign/hub-client/error"
import type { QueryClient } from "@tanstack/react-query"
import { sharedValue, useSharedValue } from "../components/shared-value.ts"
import { hubOf } from "../hub/query-options.ts"
import { touch } from "../hub/touch.ts"
import { forgetUpload, keepUpload, keptUploads, markRunning, runningUploads } from "./kept-uploads.ts"
import { sendFile } from "./send-file.ts"
import { fileSha256 } from "./sha256.ts"

export type Difference = "name" | "size" | "content"

export type UploadState =
  | { readonly kind: "waiting" | "confirming" | "done" }
  /** `done` of the file's bytes. */
  | { readonly kind: "reading" | "sending"; readonly done: number }
  /** An object has the key: the person decides whether to replace it. */
  | { readonly kind: "taken" }
  | { readonly kind: "failed"; readonly error: unknown }
  /** The page was closed: the person chooses the file again. */
  | { readonly kind: "interrupted"; readonly difference?: Difference }

export interface Upload {
  /** Of this page. */
  readonly id: string
  readonly workspace: string
  readonly person: string
  readonly key: string
  readonly size: number
  readonly state: UploadState
}

interface Work {
  readonly queries: QueryClient
  file: File | undefined
  /** The name of the file. */
  name: string
  sha256: string | undefined
  /** The reserved object. */
  object: string | undefined
  sent: boolean
  mayReplace: boolean
  stop: AbortController | undefined
}

/** Uploads that run at the same time. */
const runningMax = 2
const verifyingPauseMillis = 2_000
const defaultType = "application/octet-stream"

const uploads = sharedValue<ReadonlyArray<Upload>>([])
const works = new Map<string, Work>()

const isActive = ({ state: { kind } }: Upload): boolean =>
  kind === "waiting" || kind === "reading" || kind === "sending" || kind === "confirming"

/** The uploads of a person in a workspace, in the order in which they were added. */
export const useUploads = (workspace: string, person: string): ReadonlyArray<Upload> =>
  useSharedValue(uploads).filter((each) => each.workspace === workspace && each.person === person)

const warnBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault()

const update = (next: ReadonlyArray<Upload>): void => {
  uploads.set(next)
  if (next.some(isActive)) addEventListener("beforeunload", warnBeforeLeaving)
  else removeEventListener("beforeunload", warnBeforeLeaving)
}

const put = (id: string, state: UploadState): void =>
  update(uploads.get().map((each) => each.id === id ? { ...each, state } : each))

const take = (id: string): void => {
  works.delete(id)
  update(uploads.get().filter((each) => each.id !== id))
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, verifyingPauseMillis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(signal.reason)
    }, { once: true })
  })

const isGone = (error: unknown): boolean => isHubError(error) && (error.status === 404 || error.status === 410)

/** An object that is not confirmed is removed at once; a live one is left as it is. */
const release = async ({ workspace }: Upload, work: Work, signal?: AbortSignal): Promise<void> => {
  const { object, queries } = work
  if (object === undefined) return
  const hub = hubOf(queries)
  const found = await hub.call("storage.get", { params: { id: object } }, { workspace, signal }).catch((error) => {
    if (isGone(error)) return undefined
    throw error
  })
  if (found?.status === "pending") await hub.call("storage.remove", { params: { id: object } }, { workspace, signal })
  forgetUpload(object)
  work.object = undefined
  work.sent = false
}

const isTaken = async ({ key, workspace }: Upload, { queries }: Work, signal: AbortSignal): Promise<boolean> => {
  const page = await hubOf(queries).call("storage.list", { query: { prefix: key, sort: "key", limit: 1 } }, {
    workspace,
    signal
  })
  // A key is the first of those that begin with it.
  return page.data[0]?.key === key
}

const send = async (upload: Upload, work: Work, signal: AbortSignal): Promise<void> => {
  const { id, key, person, workspace } = upload
  const { file, name, queries } = work
  if (file === undefined) return
  put(id, { kind: "reading", done: 0 })
  const hash = work.sha256 ??= await fileSha256(file, signal, (done) => put(id, { kind: "reading", done }))
  await release(upload, work, signal)
  if (!work.mayReplace && await isTaken(upload, work, signal)) {
    put(id, { kind: "taken" })
    throw new Paused()
  }
  put(id, { kind: "sending", done: 0 })
  let unmark = () => {}
  try {
    await sendFile(hubOf(queries), file, {
      workspace,
      object: { key, content_type: file.type === "" ? defaultType : file.type, size_bytes: file.size, sha256: hash },
      signal,
      onReserved: (object) => {
        work.object = object
        unmark = markRunning(object)
        keepUpload({ object, workspace, person, key, name, size: file.size, sha256: hash, sent: false })
      },
      onProgress: (done) => put(id, { kind: "sending", done })
    })
  } finally {
    unmark()
  }
  work.sent = true
  if (work.object !== undefined) {
    keepUpload({ object: work.object, workspace, person, key, name, size: file.size, sha256: hash, sent: true })
  }
}

const confirm = async ({ id, workspace }: Upload, work: Work, signal: AbortSignal): Promise<void> => {
  const { object, queries } = work
  if (object === undefined) return
  put(id, { kind: "confirming" })
  const hub = hubOf(queries)
  const options = { workspace, signal }
  let found: StorageObject = await hub.call("storage.confirm", { params: { id: object } }, options)
  while (found.status === "verifying") {
    await pause(signal)
    found = await hub.call("storage.get", { params: { id: object } }, options)
    // A verification that failed leaves the upload open, and its reason is the answer of another confirmation.
    if (found.status === "pending") found = await hub.call("storage.confirm", { params: { id: object } }, options)
  }
  forgetUpload(object)
}

/** The upload waits for a person. */
class Paused extends Error {}

const run = async (upload: Upload): Promise<void> => {
  const { id, workspace } = upload
  const work = works.get(id)
  if (work === undefined) return
  const stop = work.stop = new AbortController()
  try {
    if (!work.sent) await send(upload, work, stop.signal)
    await confirm(upload, work, stop.signal)
    put(id, { kind: "done" })
  } catch (error) {
    if (stop.signal.aborted || error instanceof Paused) return
    // The bytes at the store are not those of the file, or they are missing: the next attempt sends them again.
    if (isHubError(error) && (error.code === "checksum_mismatch" || error.code === "not_uploaded" || isGone(error))) {
      work.sent = false
      if (work.file !== undefined) work.sha256 = undefined
    }
    put(id, work.file === undefined && !work.sent ? { kind: "interrupted" } : { kind: "failed", error })
  } finally {
    work.stop = undefined
    next()
    await touch(work.queries, workspace, ["storage"])
  }
}

/** Starts waiting uploads while there is room. */
const next = (): void => {
  const all = uploads.get()
  let free = runningMax - all.filter(({ id }) => works.get(id)?.stop !== undefined).length
  for (const upload of all) {
    if (free <= 0) return
    if (upload.state.kind !== "waiting" || works.get(upload.id)?.stop !== undefined) continue
    free--
    void run(upload)
  }
}

export interface Chosen {
  readonly queries: QueryClient
  readonly workspace: string
  readonly person: string
  /** The folder: a prefix that is empty or ends with a slash. */
  readonly prefix: string
  readonly files: ReadonlyArray<File>
}

/** Adds files to the uploads. A key whose upload is in progress is not added twice. */
export const addUploads = ({ files, person, prefix, queries, workspace }: Chosen): void => {
  const before = uploads.get().filter((each) => each.state.kind !== "done")
  const added = files.flatMap((file): ReadonlyArray<Upload> => {
    const key = (prefix + file.name).normalize("NFC")
    const isSame = (each: Upload) => each.workspace === workspace && each.key === key && isActive(each)
    if (before.some(isSame)) return []
    const id = crypto.getRandomValues(new Uint32Array(4)).join("-")
    works.set(id, {
      queries,
      file,
      name: file.name,
      sha256: undefined,
      object: undefined,
      sent: false,
      mayReplace: false,
      stop: undefined
    })
    return [{ id, workspace, person, key, size: file.size, state: { kind: "waiting" } }]
  })
  update([...before, ...added])
  next()
}

const again = (id: string): void => {
  put(id, { kind: "waiting" })
  next()
}

/** Continues an upload that failed. */
export const retryUpload = again

export const replaceObject = (id: string): void => {
  const work = works.get(id)
  if (work === undefined) return
  work.mayReplace = true
  again(id)
}

/** Stops an upload, and removes what the hub reserved for it. */
export const cancelUpload = (id: string): void => {
  const upload = uploads.get().find((each) => each.id === id)
  const work = works.get(id)
  take(id)
  if (upload === undefined || work === undefined) return
  work.stop?.abort()
  // Without an answer the hub removes the object itself after a day.
  if (upload.state.kind !== "done") {
    void release(upload, work).then(() => touch(work.queries, upload.workspace, ["storage"])).catch(() => {
      if (work.object !== undefined) forgetUpload(work.object)
    })
  }
}

export const clearDone = (): void => {
  for (const { id, state } of uploads.get()) if (state.kind === "done") take(id)
}

/** The file of an interrupted upload, chosen again. Another file is refused with the difference. */
export const resumeUpload = async (id: string, file: File): Promise<void> => {
  const work = works.get(id)
  const upload = uploads.get().find((each) => each.id === id)
  if (work === undefined || upload === undefined) return
  const refuse = (difference: Difference) => put(id, { kind: "interrupted", difference })
  if (file.name !== work.name) return refuse("name")
  if (file.size !== upload.size) return refuse("size")
  const stop = work.stop = new AbortController()
  try {
    put(id, { kind: "reading", done: 0 })
    const hash = await fileSha256(file, stop.signal, (done) => put(id, { kind: "reading", done }))
    if (hash !== work.sha256) return refuse("content")
    work.file = file
    put(id, { kind: "waiting" })
  } catch (error) {
    if (!stop.signal.aborted) put(id, { kind: "failed", error })
  } finally {
    work.stop = undefined
    next()
  }
}

/** Offers uploads that an earlier page did not finish; those whose bytes arrived are confirmed without the file. */
export const offerInterrupted = async (queries: QueryClient, workspace: string, person: string): Promise<void> => {
  const running = await runningUploads()
  const known = new Set([...works.values()].map(({ object }) => object))
  const found = keptUploads(workspace, person).filter(({ object }) => !running.has(object) && !known.has(object))
  if (found.length === 0) return
  const added = found.map(({ key, name, object, sent, sha256, size }): Upload => {
    const id = `kept-${object}`
    works.set(id, {
      queries,
      file: undefined,
      name,
      sha256,
      object,
      sent,
      mayReplace: false,
      stop: undefined
    })
    return { id, workspace, person, key, size, state: { kind: sent ? "waiting" : "interrupted" } }
  })
  update([...uploads.get(), ...added])
  next()
}
