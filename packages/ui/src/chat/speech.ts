/** Reads text aloud by `POST /tts`, one text at a time in the whole page. Spec: reference/speech.md "In the console". */
import type { HubClient } from "@countersign/hub-client/client"

/** Characters of the first part, so that speech begins soon, and of each further one; the hub takes 5,000. */
const firstLength = 300
const partLength = 2_000

/** Where a part that begins at `from` ends: after a sentence, else after a word. */
const endOf = (text: string, from: number, length: number): number => {
  if (text.length - from <= length) return text.length
  const piece = text.slice(from, from + length)
  const sentence = Math.max(...[". ", "! ", "? ", "\n"].map((mark) => piece.lastIndexOf(mark)))
  const at = sentence > 0 ? sentence : piece.lastIndexOf(" ")
  return from + (at > 0 ? at + 1 : length)
}

/** The text in parts that are spoken one after the other. */
export const spokenParts = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let at = 0; at < text.length;) {
    const end = endOf(text, at, parts.length === 0 ? firstLength : partLength)
    const part = text.slice(at, end).trim()
    if (part !== "") parts.push(part)
    at = end
  }
  return parts
}

export interface SpokenVoice {
  readonly voice: string
  readonly speed?: number
}

interface Offered {
  readonly id: string
}

/** `voice` and `speed` of an agent's `voiceConfig`, as far as the hub has them; otherwise the first voice. */
export const voiceOf = (
  config: Readonly<Record<string, unknown>> | null | undefined,
  voices: ReadonlyArray<Offered>
): SpokenVoice | undefined => {
  const voice = voices.find(({ id }) => id === config?.["voice"]) ?? voices[0]
  const speed = config?.["speed"]
  return voice === undefined
    ? undefined
    : { voice: voice.id, ...typeof speed === "number" && speed >= 0.5 && speed <= 2 ? { speed } : {} }
}

let audio: AudioContext | undefined
let current: AbortController | undefined

const played = (context: AudioContext, sound: AudioBuffer, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const source = context.createBufferSource()
    source.buffer = sound
    source.connect(context.destination)
    source.addEventListener("ended", () => resolve())
    signal.addEventListener("abort", () => source.stop())
    source.start()
  })

/**
 * Speaks a text to its end, or until `signal`; a text that is being read stops. The next part is fetched while one
 * plays. Rejects with a `HubError`.
 */
export const speak = async (
  hub: HubClient,
  workspace: string,
  text: string,
  voice: SpokenVoice,
  { onPlaying, signal }: { readonly onPlaying: () => void; readonly signal: AbortSignal }
): Promise<void> => {
  current?.abort()
  const mine = new AbortController()
  current = mine
  const ended = AbortSignal.any([signal, mine.signal])
  // A sound from bytes needs no address that the page's policy would have to allow.
  const context = audio ??= new AudioContext()
  const fetchPart = async (part: string | undefined): Promise<AudioBuffer | undefined> => {
    if (part === undefined) return undefined
    const wav = await hub.call("speech.say", { payload: { text: part, ...voice } }, { workspace, signal: ended })
    return await context.decodeAudioData(new Uint8Array(wav).buffer)
  }
  try {
    await context.resume()
    const parts = spokenParts(text)
    let next = fetchPart(parts[0])
    for (let at = 0; at < parts.length && !ended.aborted; at++) {
      const sound = await next
      next = fetchPart(parts[at + 1])
      // It is awaited after this part; until then its failure is no unhandled one.
      next.catch(() => {})
      if (sound === undefined || ended.aborted) break
      onPlaying()
      await played(context, sound, ended)
    }
  } catch (error) {
    if (!ended.aborted) throw error
  } finally {
    if (current === mine) current = undefined
  }
}
