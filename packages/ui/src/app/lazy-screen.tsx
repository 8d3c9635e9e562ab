/**
 * A screen whose script comes when its route is wanted. Where it does not come because the hub is away, that is what stands in its place,
 * and the screen follows by itself when the hub is back; a file that is gone for good asks for the page to be loaded again.
 */
import { type ComponentType, useEffect, useReducer, useState } from "react"
import { forgetFailedStyles, isAway } from "../components/lazy-part.ts"
import { HubError } from "../hub/error.ts"
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
      forgetFailedStyles()
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
  /** The router asks for it before it shows the route, and when a link to it is pointed at. */
  return Object.assign(Screen, { preload: () => get().catch(() => {}) })
}
