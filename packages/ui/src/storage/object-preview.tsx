/** A file's content: image, audio, video, or text. Other types are only downloaded. */
import { useEffect, useState } from "react"
import type { ObjectRow } from "../hub/queries.ts"
import { downloadHref } from "../listing/download.ts"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText as acts } from "../text/acts.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { storageText } from "../text/storage.ts"
import styles from "./storage-screen.module.css"
import { nameOf, previewOf, sizeText } from "./storage-words.ts"

const t = storageText.preview
/** Bytes of a text that are shown. */
const textBytesMax = 64_000

export const objectHref = (workspace: string, id: string, disposition: "inline" | "attachment"): string =>
  downloadHref("storage.download", workspace, { params: { id }, query: { disposition } })

const Note = ({ children }: { readonly children: string }) => <p className="type-note text-2">{children}</p>

export const ObjectPreview = ({ object, workspace }: { readonly object: ObjectRow; readonly workspace: string }) => {
  const [failed, setFailed] = useState(false)
  const kind = previewOf(object.content_type)
  const name = nameOf(object.key)
  const href = objectHref(workspace, object.id, "inline")
  const fail = () => setFailed(true)
  if (kind === undefined) return <Note>{t.none}</Note>
  if (object.size_bytes === 0) return <Note>{t.emptyFile}</Note>
  if (failed) return <Note>{t.failed}</Note>
  if (kind === "image") return <img className={styles.media} src={href} alt={t.image(name)} onError={fail} />
  if (kind === "audio") {
    return <audio className="w-full" src={href} controls preload="metadata" aria-label={t.audio(name)} onError={fail} />
  }
  return kind === "video"
    ? (
      <video
        className={styles.media}
        src={href}
        controls
        preload="metadata"
        aria-label={t.video(name)}
        onError={fail}
      />
    )
    : <TextPreview object={object} href={href} name={name} />
}

const TextPreview = ({ href, name, object }: {
  readonly object: ObjectRow
  readonly href: string
  readonly name: string
}) => {
  const [text, setText] = useState<string>()
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    const read = async () => {
      const answer = await fetch(href, {
        headers: { range: `bytes=0-${textBytesMax - 1}` },
        credentials: "same-origin",
        cache: "no-store",
        signal: stop.signal
      })
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      setText(await firstText(answer))
    }
    read().catch(() => {
      if (!stop.signal.aborted) setFailed(true)
    })
    return () => stop.abort()
  }, [href])
  if (failed) return <Note>{t.failed}</Note>
  if (text === undefined) return <p className="type-note text-3" role="status">{acts.loading}</p>
  return (
    <div className="grid gap-8">
      <pre
        className={`type-mono bg-sunken rounded-control p-12 ${styles.text}`}
        role="region"
        aria-label={t.text(name)}
        tabIndex={0}
      >
        <RevealedText text={text} texts={reveal} />
      </pre>
      {object.size_bytes > textBytesMax && <Note>{t.part(sizeText(textBytesMax))}</Note>}
    </div>
  )
}

/** The beginning of an answer: a store may send all bytes whatever the range. */
const firstText = async (answer: Response): Promise<string> => {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  while (reader !== undefined && bytes < textBytesMax) {
    const { done, value } = await reader.read()
    if (done) break
    const part = value.subarray(0, textBytesMax - bytes)
    bytes += part.length
    text += decoder.decode(part, { stream: true })
  }
  await reader?.cancel()
  return text
}
