/** Sends a file to object storage. In the desktop app the main process reserves the object and sends the bytes. */
import type { HubClient, UploadOptions } from "@countersign/hub-client/client"
import { HubError, readError } from "@countersign/hub-client/error"

/** An upload without progress for this long has failed. */
const silenceMillisMax = 60_000
/** Headers that a page cannot set; the browser sends them itself. */
const browserHeaders: ReadonlySet<string> = new Set(["content-length", "host"])

/** The hub's own blobs are addressed on this page's origin: the page may be open at another address of the hub. */
const addressOf = (url: string): string => {
  const { pathname } = new URL(url, location.origin)
  return pathname.startsWith("/api/v1/storage/blobs/") ? pathname : url
}

export interface SentBytes extends Pick<UploadOptions, "onProgress" | "signal"> {
  readonly method: "POST" | "PUT"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Blob | FormData
}

/** Sends a body with its progress, which `fetch` does not report. Rejects with a `HubError`. */
export const sendBytes = ({ body, headers, method, onProgress, signal, url }: SentBytes): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let timer: ReturnType<typeof setTimeout>
    const abort = () => request.abort()
    const settle = (act: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
      act()
    }
    const fail = (code: string, message: string) =>
      settle(() => reject(signal.aborted ? signal.reason : new HubError({ status: 0, code, message })))
    let isSilent = false
    const postpone = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        isSilent = true
        request.abort()
      }, silenceMillisMax)
    }
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) {
      if (!browserHeaders.has(name.toLowerCase())) request.setRequestHeader(name, value)
    }
    request.upload.addEventListener("progress", ({ loaded }) => {
      postpone()
      onProgress(loaded)
    })
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) return settle(resolve)
      let answer: unknown
      try {
        answer = JSON.parse(request.responseText)
      } catch {
        answer = undefined
      }
      settle(() =>
        reject(
          readError(answer, {
            status: request.status,
            requestId: request.getResponseHeader("x-request-id") ?? undefined
          })
        )
      )
    })
    request.addEventListener("error", () => fail("network_error", "No answer came."))
    request.addEventListener("abort", () => fail(isSilent ? "timeout" : "network_error", "No answer came."))
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener("abort", abort, { once: true })
    postpone()
    request.send(body)
  })

/** Resolves when the store has the bytes; then the object can be confirmed. */
export const sendFile = async (hub: HubClient, file: Blob, options: UploadOptions): Promise<void> => {
  if (hub.upload !== undefined) return hub.upload(file, options)
  const { object, onReserved, signal, workspace } = options
  const target = await hub.call("storage.presignUpload", { payload: object }, { workspace, signal })
  onReserved(target.object_id)
  await sendBytes({ ...options, ...target, url: addressOf(target.url), body: file })
}
