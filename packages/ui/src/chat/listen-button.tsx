/** Reads an answer aloud in its agent's voice. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Square, Volume2 } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { IconButton } from "../components/icon-button.tsx"
import { agentQuery, voicesQuery } from "../hub/queries.ts"
import { hubOf } from "../hub/query-options.ts"
import { chatText } from "../text/chat.ts"
import { speak, voiceOf } from "./speech.ts"

export const ListenButton = ({ agentId, text }: { readonly agentId: string; readonly text: string }) => {
  const t = chatText.listen
  const queries = useQueryClient()
  const workspace = useWorkspaceId()
  const config = useQuery(agentQuery(workspace, agentId)).data?.voiceConfig
  const [state, setState] = useState<"idle" | "loading" | "playing">("idle")
  const [error, setError] = useState<unknown>(null)
  const speaking = useRef<AbortController>(undefined)
  useEffect(() => () => speaking.current?.abort(), [])

  const listen = async () => {
    const ending = new AbortController()
    speaking.current = ending
    setError(null)
    setState("loading")
    try {
      const voices = await queries.fetchQuery(voicesQuery(workspace))
      const voice = voiceOf(config, voices.data)
      if (voice !== undefined) {
        await speak(hubOf(queries), workspace, text, voice, {
          onPlaying: () => setState("playing"),
          signal: ending.signal
        })
      }
    } catch (cause) {
      if (!ending.signal.aborted) setError(cause)
    }
    if (speaking.current === ending) setState("idle")
  }
  const stop = () => {
    speaking.current?.abort()
    setState("idle")
  }
  return (
    <>
      <IconButton
        label={state === "idle" ? t.start : t.stop}
        icon={state === "idle" ? <Volume2 size={14} /> : <Square size={14} />}
        onClick={() => state === "idle" ? void listen() : stop()}
      />
      <span role="status" className="sr-only">{state === "idle" ? "" : t.states[state]}</span>
      {error !== null && <Problem inline error={error} failed={t.failed} />}
    </>
  )
}
