/**
 * A screen whose script loads with its route. During an outage it shows the error and loads automatically when the hub
 * is back; for a file that no longer exists it asks the person to reload the page.
 */
import { HubError } from "@countersign/hub-client/error"
import { type ComponentType, useEffect, useReducer, useState } from "react"
import { isAway } from "../components/lazy-part.ts"
import { useConnection } from "../live/connection.ts"
import { useConsole } from "./console-context.ts"
import { ScreenError } from "./screen-error.tsx"

export const lazyScreen = <N extends string>(load: () => Promise<{ readonly [K in N]: ComponentType }>, name: N) => {
  let Loaded: ComponentType | undefined
  let loading: Promise<void> | undefined
  const get = (): Promise<void> =>
    loading ??= load().then((found) => {
      Loaded = found[name]
    }).catch((error: unknown) => {
      loading = undefined
      throw error
    })

  const Screen = () => {
    const [error, setError] = useState<Error>()
    const [tries, again] = useReducer((count: number) => count + 1, 0)
    const { phase } = useConnection()
    const { live } = useConsole()
    useEffect(() => {
      if (Loaded !== undefined) return
      let isOver = false
      const failed = async (cause: Error) => {
        const away = await isAway()
        if (isOver) return
        setError(away ? new HubError({ status: 0, code: "network_error", message: cause.message }) : cause)
      }
      get().then(() => isOver || again(), failed).catch(() => {})
      return () => {
        isOver = true
      }
    }, [phase, tries])
    if (Loaded !== undefined) return <Loaded />
    if (error === undefined) return null
    const retry = () => {
      live.retryNow()
      again()
    }
    return <ScreenError error={error} reset={retry} />
  }
  /** The router calls it before it shows the route and when the pointer is over a link to the route. */
  return Object.assign(Screen, { preload: () => get().catch(() => {}) })
}
