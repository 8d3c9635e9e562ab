/**
 * Calls of local tools that wait for this computer. A turn that began here is answered at once, since the computer's own
 * rules decide; one that began elsewhere only on request.
 */
import type { ChatSessionId, ChatTurnId } from "@countersign/domain/ids"
import { useMutation } from "@tanstack/react-query"
import { useEffect } from "react"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { chatText } from "../text/chat.ts"
import { localToolsHost } from "./local-tools.ts"

interface LocalCallsProps {
  readonly session: ChatSessionId
  readonly turn: ChatTurnId
  readonly beganHere: boolean
}

export const LocalCalls = ({ beganHere, session, turn }: LocalCallsProps) => {
  const t = chatText.localTools
  const workspace = useWorkspaceId()
  const host = localToolsHost()
  const { error, isPending, mutate } = useMutation({
    mutationFn: async () => await host?.answer({ workspace, session, turn })
  })
  useEffect(() => {
    if (beganHere) mutate()
  }, [beganHere, mutate])
  if (host === undefined) return <p className="type-note text-2">{chatText.waiting.local}</p>
  return (
    <>
      <p className="type-note text-2">{isPending ? t.running : t.waiting}</p>
      {!isPending && <Button size="small" onClick={() => mutate()}>{t.run}</Button>}
      {error !== null && <Problem inline error={error} failed={t.failed} />}
    </>
  )
}
